// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Where the page gets the run from: Pleat's server, or the page itself where it was exported.
import { decodePacket } from './packet.js';

/** An answer that is no good: `gone` where the run's folder is no longer there. */
export class SourceError extends Error {
    constructor(message, gone) {
        super(message);
        this.gone = gone;
    }
}

async function ask(address, options) {
    let response;
    try {
        response = await fetch(address, options);
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new SourceError('The server does not answer. Is `pleat view` still running?', false);
    }
    if (!response.ok) {
        const text = await response.json().then((json) => json.error, () => response.statusText);
        throw new SourceError(text, response.status === 410 || response.status === 404);
    }
    return response;
}

class ServerSource {
    isLive = true;
    run() { return ask('api/run').then((r) => r.json()); }
    progress(row) { return ask(`api/progress?row=${row}`).then((r) => r.json()); }
    async frame(number, needs, signal) {
        const response = await ask(`api/frame/${number}?with=${needs.join(',')}`, { signal });
        return decodePacket(await response.arrayBuffer());
    }
    file(name) { return `files/${name}`; }
}

class PageSource {
    isLive = false;
    run() { return Promise.resolve(this.#json('pleat-run')); }
    progress() { return Promise.resolve(this.#json('pleat-progress')); }
    async frame(number) {
        const element = document.getElementById(`pleat-frame-${number}`);
        if (!element) throw new SourceError(`Frame ${number} is not in this file.`, false);
        const text = atob(element.textContent);
        const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
        return decodePacket(await new Response(stream).arrayBuffer());
    }
    file() { return null; }
    #json(id) { return JSON.parse(document.getElementById(id).textContent); }
}

export function openSource() {
    return document.getElementById('pleat-run') ? new PageSource() : new ServerSource();
}
