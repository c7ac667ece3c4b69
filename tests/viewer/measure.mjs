// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Opens a large run, plays it, and says how fast and how large. scripts/bench_viewer calls it.
//   node measure.mjs PLEAT FOLDER SECONDS
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pleat, folder, seconds] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(path.join(process.env.PLEAT_PLAYWRIGHT, 'index.mjs')));
const child = spawn(pleat, ['view', '--no-open', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (data) => { text += data; const m = /http:\S+\//.exec(text); if (m) resolve(m[0]); });
});
const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const serverMemory = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);

const serverSeconds = () => {
    const words = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(words[11]) + Number(words[12])) / 100; // user and system, in hundredths
};

const browser = await chromium.launch({
    executablePath: process.env.PLEAT_CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-precise-memory-info'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
try {
    for (let round = 0; round < 3; round++) {
        const start = Date.now();
        await page.goto(address, { waitUntil: 'commit' });
        await page.waitForFunction(() => window.pleat?.player.shown > 0 && window.pleat.stage.renderer.info.render.frame > 1, null, { timeout: 60000 });
        console.log(`first picture after ${Date.now() - start} ms`);
    }
    // What a frame costs without drawing it, which depends on the graphics card.
    const cost = await page.evaluate(async () => {
        const { player, stage } = window.pleat;
        const read = [], put = [];
        for (let i = 1; i < 16; i++) {
            let start = performance.now();
            const response = await fetch(`api/frame/${i}`);
            await response.arrayBuffer();
            read.push(performance.now() - start);
            await player.show(i);
            const objects = player.packet.objects;
            for (const s of stage.surfaces.values()) s.object = null;
            start = performance.now();
            stage.setObjects(objects, () => [{ colour: '#888888' }]);
            put.push(performance.now() - start);
        }
        const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
        return { read: median(read), put: median(put) };
    });
    console.log(`a frame: ${cost.read.toFixed(1)} ms to read and send (one at a time), ${cost.put.toFixed(1)} ms to prepare`);
    const before = serverSeconds();
    const throughput = await page.evaluate(async () => {
        const start = performance.now();
        let next = 20, bytes = 0;
        const lane = async () => {
            while (next < 80) {
                const body = await (await fetch(`api/frame/${next++}`)).arrayBuffer();
                bytes += body.byteLength;
            }
        };
        await Promise.all([lane(), lane(), lane()]);
        return { rate: 60 / ((performance.now() - start) / 1000), bytes: bytes / 60 };
    });
    const used = serverSeconds() - before;
    console.log(`the server works ${((1000 * used) / 60).toFixed(1)} ms a frame, ${(60 / used).toFixed(0)} frames a second a core`);
    console.log(`the server sends ${throughput.rate.toFixed(1)} frames a second of ${(throughput.bytes / 1e6).toFixed(2)} MB`);
    await page.evaluate(() => { window.pleat.player.show(0); });
    for (const mode of ['fabric', 'strain']) {
        await page.check(`#modes input[value=${mode}]`);
        await page.evaluate(() => { const { player } = window.pleat; player.pause(); player.play(); });
        let last = await page.evaluate(() => [window.pleat.player.shown, performance.now()]);
        for (let s = 0; s < Number(seconds); s += 4) {
            await page.waitForTimeout(4000);
            const now = await page.evaluate(() => [window.pleat.player.shown, performance.now(), window.pleat.player.storedBytes, performance.memory.usedJSHeapSize, window.pleat.player.number]);
            console.log(`${mode}: ${(((now[0] - last[0]) / (now[1] - last[1])) * 1000).toFixed(1)} frames a second shown, frame ${now[4]}, kept frames ${megabytes(now[2])}, page heap ${megabytes(now[3])}, server ${megabytes(serverMemory())}`);
            last = now;
        }
    }
} finally {
    await browser.close();
    child.kill('SIGINT');
}
