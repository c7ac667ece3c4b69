// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Which frame is shown when: a clock at true speed, a few frames read ahead, and a bounded store of
// those that were read.

const MOST_BYTES = 192 * 2 ** 20; // of frames that are kept
const READ_AHEAD = 8;             // frames
const AT_ONCE = 3;                // requests

export class Player extends EventTarget {
    frames = [];      // numbers, in order
    fps = 25;
    speed = 1;
    index = -1;       // of the frame shown
    isPlaying = false;
    loops = true;

    #source;
    #store = new Map();    // number -> packet, the least used first
    #bytes = 0;
    #underway = new Map(); // number -> {abort, promise}
    #needs = [];
    #wanted = -1;          // number that should be shown
    #clock = 0;            // [s] within the run, while playing
    #last = 0;
    #stride = 1;           // frames to go on; more where reading is slower than the clock
    #stalls = 0;
    #statics = null;       // name -> object with arrays, of those that never change
    shown = 0;             // frames shown since the start, for measurements

    constructor(source) {
        super();
        this.#source = source;
    }

    get number() { return this.frames[this.index]; }
    get time() { return this.index < 0 ? 0 : this.number / this.fps; }
    get storedBytes() { return this.#bytes; }

    /** What frames must hold beside positions; what is kept without it is read again. */
    setNeeds(needs) {
        const lacking = needs.some((n) => !this.#needs.includes(n));
        this.#needs = needs;
        if (!lacking) return Promise.resolve();
        this.#forget();
        return this.index < 0 ? Promise.resolve() : this.show(this.index, true);
    }

    setFrames(frames) {
        const number = this.number;
        this.frames = frames;
        if (number !== undefined) this.index = Math.max(0, frames.indexOf(number));
    }

    play() {
        if (this.isPlaying || this.frames.length < 2) return;
        if (this.index >= this.frames.length - 1) this.index = 0;
        this.isPlaying = true;
        this.#clock = this.index < 0 ? 0 : this.frames[this.index] / this.fps;
        this.#last = performance.now();
        this.#stride = 1;
        this.dispatchEvent(new Event('state'));
        requestAnimationFrame((now) => this.#tick(now));
    }

    pause() {
        if (!this.isPlaying) return;
        this.isPlaying = false;
        this.dispatchEvent(new Event('state'));
    }

    /** Shows a frame as soon as it is there; an earlier wish that is not is forgotten. */
    async show(index, again = false) {
        if (!this.frames.length) return;
        index = Math.min(Math.max(0, index), this.frames.length - 1);
        const number = this.frames[index];
        if (number === this.#wanted && index === this.index && !again) return;
        this.#wanted = number;
        if (this.isPlaying) this.#clock = number / this.fps;
        for (const [other, job] of this.#underway) {
            if (other !== number && !this.isPlaying) job.abort.abort();
        }
        try {
            const packet = await this.#read(number);
            if (this.#wanted === number) this.#present(number, packet);
        } catch (error) {
            if (error.name !== 'AbortError') this.#fail(error);
        }
    }

    step(by) {
        this.pause();
        const from = this.#wanted >= 0 ? this.frames.indexOf(this.#wanted) : this.index;
        return this.show(Math.max(0, from) + by);
    }

    #tick(now) {
        if (!this.isPlaying) return;
        requestAnimationFrame((next) => this.#tick(next));
        const passed = Math.min(0.25, (now - this.#last) / 1000);
        this.#last = now;
        const last = this.frames[this.frames.length - 1] / this.fps;
        let clock = this.#clock + passed * this.speed;
        if (clock > last + 1 / this.fps) {
            if (!this.loops) { this.pause(); return; }
            clock = this.frames[0] / this.fps;
        }
        // The last frame at or before the clock.
        const due = this.#indexAt(clock * this.fps + 1e-6);
        this.#readAhead(due);
        const number = this.frames[due];
        if (number === this.number) { this.#clock = clock; return; }
        const packet = this.#store.get(number);
        if (packet) {
            this.#clock = clock;
            this.#wanted = number;
            this.#present(number, packet);
            this.#stalls = Math.max(0, this.#stalls - 0.1);
            if (this.#stalls === 0 && this.#stride > 1) { this.#stride--; this.#stalls = 2; }
            return;
        }
        // Not here yet. What has come in the meantime is shown; the clock waits for the rest, and
        // where that happens often every other frame is left out.
        for (let i = due - 1; i > this.index; i--) {
            const near = this.#store.get(this.frames[i]);
            if (near) { this.#present(this.frames[i], near); break; }
        }
        if (++this.#stalls > 30) { this.#stride = Math.min(8, this.#stride + 1); this.#stalls = 5; }
    }

    #indexAt(number) {
        let low = 0, high = this.frames.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.frames[middle] <= number) low = middle; else high = middle - 1;
        }
        return low - (low % this.#stride);
    }

    #readAhead(from) {
        for (let k = 0; k < READ_AHEAD && this.#underway.size < AT_ONCE; k++) {
            const index = from + k * this.#stride;
            const number = this.frames[index < this.frames.length ? index : index - this.frames.length];
            if (number === undefined || this.#store.has(number) || this.#underway.has(number)) continue;
            this.#read(number).catch((error) => {
                if (error.name !== 'AbortError') this.#fail(error);
            });
        }
    }

    #read(number) {
        const kept = this.#store.get(number);
        if (kept) { // used just now
            this.#store.delete(number);
            this.#store.set(number, kept);
            return Promise.resolve(kept);
        }
        const job = this.#underway.get(number);
        if (job && !job.abort.signal.aborted) return job.promise;
        const abort = new AbortController();
        const needs = this.#statics ? this.#needs : ['static', ...this.#needs];
        const promise = this.#source.frame(number, needs, abort.signal).then((packet) => {
            if (needs[0] === 'static' && !this.#statics) this.#keepStatics(packet);
            else if (this.#statics) this.#fillStatics(packet);
            if (!abort.signal.aborted) this.#keep(number, packet);
            return packet;
        }).finally(() => {
            if (this.#underway.get(number)?.abort === abort) this.#underway.delete(number);
        });
        this.#underway.set(number, { abort, promise });
        return promise;
    }

    #keepStatics(packet) {
        this.#statics = new Map();
        this.#fillStatics(packet);
    }

    #fillStatics(packet) {
        packet.objects = packet.objects.map((o) => {
            if (!o.isStatic) return o;
            if (o.hasArrays) this.#statics.set(o.name, o);
            return this.#statics.get(o.name) ?? o;
        });
        // One that came later than the first frame has not been sent: ask anew next time.
        if (packet.objects.some((o) => !o.hasArrays)) this.#statics = null;
        packet.objects = packet.objects.filter((o) => o.hasArrays);
    }

    #keep(number, packet) {
        this.#store.set(number, packet);
        this.#bytes += packet.bytes;
        for (const [oldest, old] of this.#store) {
            if (this.#bytes <= MOST_BYTES || this.#store.size <= 2) break;
            if (oldest === number || oldest === this.number) continue;
            this.#store.delete(oldest);
            this.#bytes -= old.bytes;
        }
    }

    #forget() {
        for (const job of this.#underway.values()) job.abort.abort();
        this.#underway.clear();
        this.#store.clear();
        this.#bytes = 0;
    }

    #present(number, packet) {
        this.index = this.frames.indexOf(number);
        this.packet = packet;
        this.shown++;
        this.dispatchEvent(new Event('frame'));
    }

    #fail(error) {
        this.pause();
        this.dispatchEvent(Object.assign(new Event('trouble'), { error }));
    }
}
