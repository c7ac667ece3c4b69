// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The run's statistics under the timeline, each with a cursor at the frame that is shown.

const STAGES = [
    ['ms_contact_find', 'contact finding'], ['ms_integrate', 'integration'],
    ['ms_strain', 'strain limiting'], ['ms_impact', 'impacts'], ['ms_remesh', 'remeshing'],
    ['ms_separate', 'separation'], ['ms_write', 'writing'],
];

/** factor: from the file's unit to the one shown. */
const CHARTS = [
    { title: 'Faces', unit: '', lines: [['faces', 'faces']], factor: 1 },
    { title: 'Time by stage', unit: 'ms', lines: STAGES, factor: 1, stacked: true },
    { title: 'Strain', unit: '%', lines: [['max_stretch', 'stretch'], ['max_compression', 'compression']], factor: 100 },
    { title: 'Smallest gap', unit: 'mm', lines: [['min_gap', 'gap']], factor: 1000 },
    { title: 'Energy', unit: 'J', lines: [['kinetic', 'kinetic'], ['elastic', 'elastic']], factor: 1 },
];

export function readable(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
    return Math.abs(value) < 1e-9 ? '0' : String(Number(value.toPrecision(3))); // rounding is nothing to show
}

export class Charts {
    #columns = [];
    #rows = [];
    #charts = [];
    #frame = 0;

    /** @param seek called with a frame's number */
    constructor(container, seek) {
        this.container = container;
        for (const spec of CHARTS) {
            const figure = document.createElement('figure');
            figure.className = 'chart';
            const caption = document.createElement('figcaption');
            const title = document.createElement('span');
            title.textContent = spec.unit ? `${spec.title}, ${spec.unit}` : spec.title;
            const value = document.createElement('output');
            caption.append(title, value);
            const canvas = document.createElement('canvas');
            canvas.setAttribute('role', 'img');
            figure.append(caption, canvas);
            container.append(figure);
            const chart = { spec, figure, canvas, value };
            this.#charts.push(chart);
            const to = (event) => {
                const box = canvas.getBoundingClientRect();
                const [low, high] = this.#span();
                seek(Math.round(low + ((event.clientX - box.left) / box.width) * (high - low)));
            };
            canvas.addEventListener('pointerdown', (event) => { canvas.setPointerCapture(event.pointerId); to(event); });
            canvas.addEventListener('pointermove', (event) => { if (event.buttons) to(event); });
        }
        new ResizeObserver(() => this.draw()).observe(container);
    }

    /** Rows from `first` on, in the columns' order. */
    setRows(columns, first, rows) {
        this.#columns = columns;
        this.#rows.length = Math.min(this.#rows.length, first);
        this.#rows.push(...rows);
        this.draw();
    }

    get count() { return this.#rows.length; }

    setFrame(frame) {
        this.#frame = frame;
        this.draw();
    }

    /** The row of a frame, by column; null where there is none. */
    row(frame) {
        const at = this.#columns.indexOf('frame');
        const row = this.#rows.find((r) => r[at] === frame);
        return row ? Object.fromEntries(this.#columns.map((c, i) => [c, row[i]])) : null;
    }

    #span() {
        const at = this.#columns.indexOf('frame');
        const first = this.#rows[0]?.[at] ?? 0, last = this.#rows[this.#rows.length - 1]?.[at] ?? 1;
        return [first, Math.max(last, first + 1)];
    }

    draw() {
        const style = getComputedStyle(document.documentElement);
        const ink = (name) => style.getPropertyValue(name).trim();
        const at = this.#columns.indexOf('frame');
        const [low, high] = this.#span();
        const current = this.#rows.findLast((r) => r[at] <= this.#frame);
        for (const { spec, figure, canvas, value } of this.#charts) {
            const lines = spec.lines.map(([column, label], i) => {
                const c = this.#columns.indexOf(column);
                return { label, c, colour: ink(`--line-${i % 7}`) };
            }).filter(({ c }) => c >= 0);
            const numbers = (row, c) => (row[c] === null ? null : spec.factor * row[c]);
            const used = spec.stacked ? lines.filter(({ c }) => this.#rows.some((r) => r[c] > 0)) : lines;
            const isEmpty = !this.#rows.length || !used.length;
            if (figure.hidden !== isEmpty) figure.hidden = isEmpty;
            if (isEmpty || !figure.offsetParent) continue; // or folded away

            let least = 0, most = 0;
            for (const row of this.#rows) {
                let sum = 0;
                for (const { c } of used) {
                    const v = numbers(row, c) ?? 0;
                    sum += v;
                    if (!spec.stacked) { least = Math.min(least, v); most = Math.max(most, v); }
                }
                if (spec.stacked) most = Math.max(most, sum);
            }
            if (most === least) most = least + 1;
            const ratio = devicePixelRatio;
            const w = canvas.clientWidth, h = canvas.clientHeight;
            if (!w) continue;
            if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
            if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
            const g = canvas.getContext('2d');
            g.setTransform(ratio, 0, 0, ratio, 0, 0);
            g.clearRect(0, 0, w, h);
            const pad = 3;
            const x = (frame) => pad + ((w - 2 * pad) * (frame - low)) / (high - low);
            const y = (v) => h - pad - ((h - 2 * pad) * (v - least)) / (most - least);
            g.strokeStyle = ink('--hair');
            g.lineWidth = 1;
            g.beginPath();
            for (const v of [least, 0, most]) { g.moveTo(0, Math.round(y(v)) + 0.5); g.lineTo(w, Math.round(y(v)) + 0.5); }
            g.stroke();
            const below = new Float64Array(this.#rows.length);
            for (const { c, colour } of used) {
                g.beginPath();
                if (spec.stacked) {
                    this.#rows.forEach((r, i) => g.lineTo(x(r[at]), y(below[i] + (numbers(r, c) ?? 0))));
                    for (let i = this.#rows.length - 1; i >= 0; i--) g.lineTo(x(this.#rows[i][at]), y(below[i]));
                    this.#rows.forEach((r, i) => { below[i] += numbers(r, c) ?? 0; });
                    g.fillStyle = colour;
                    g.fill();
                } else {
                    let pen = false;
                    for (const r of this.#rows) {
                        const v = numbers(r, c);
                        if (v === null) { pen = false; continue; }
                        if (pen) g.lineTo(x(r[at]), y(v)); else g.moveTo(x(r[at]), y(v));
                        pen = true;
                    }
                    g.strokeStyle = colour;
                    g.lineWidth = 1.6;
                    g.stroke();
                }
            }
            g.fillStyle = ink('--ink');
            g.fillRect(Math.round(x(Math.min(Math.max(this.#frame, low), high))) - 0.5, 0, 1.5, h);

            value.replaceChildren();
            if (current) {
                const shown = spec.stacked
                    ? [[readable(used.reduce((s, { c }) => s + (numbers(current, c) ?? 0), 0)), null, '']]
                    : used.map(({ c, colour, label }) => [readable(numbers(current, c)), used.length > 1 ? colour : null, label]);
                for (const [text, colour, label] of shown) {
                    const item = document.createElement('span');
                    if (colour) {
                        const dot = document.createElement('i');
                        dot.style.background = colour;
                        dot.title = label;
                        item.append(dot);
                    }
                    item.append(text);
                    value.append(item);
                }
            }
            const words = used.map(({ c, label }) => `${label} ${current ? readable(numbers(current, c)) : '–'}`).join(', ');
            canvas.setAttribute('aria-label',
                `${spec.title}${spec.unit ? ` in ${spec.unit}` : ''} over frames ${low} to ${high}, up to ${readable(most)}. Now: ${words}.`);
        }
    }
}
