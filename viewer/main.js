// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The page: a run, a player, a stage, and the controls that tie them together.
import { Charts, readable } from './charts.js';
import { faceCurvature, faceDrivers, strongestDriver, faceEllipse, faceGradient, faceShape, faceStrain } from './face_values.js';
import { Player } from './player.js';
import { openSource } from './source.js';
import { Stage } from './stage.js';

const POLL = 700; // between questions how the run goes [ms]
const $ = (id) => document.getElementById(id);

const source = openSource();
const player = new Player(source);
const charts = new Charts($('charts'), (frame) => { player.pause(); seekTo(frame); });
let run = null;        // what does not change
let progress = null;   // the newest answer
let stage = null;
let mode = null;       // entry of run.modes
let ranges = {};       // by mode: chosen by hand, or grown with what was seen
let pinned = null;     // {name, face, frame} that was clicked
let names = '';        // of the objects listed

window.pleat = { player, get stage() { return stage; }, get run() { return run; }, charts }; // for tests

// --- words -------------------------------------------------------------------------------------

function say(text) { $('say').textContent = text; }

function showTrouble(error) {
    $('trouble').hidden = !error;
    $('trouble').textContent = error ? error.message : '';
    if (error) $('loading').hidden = true;
}

function seconds(time) { return `${time.toFixed(2)} s`; }

function showState() {
    const words = {
        running: `Running, frame ${Math.max(0, player.frames.length - 1)} of ${progress.expected ?? '?'}`,
        starting: 'Starting', finished: '', stopped: 'Stopped early',
        'gave up': 'The solver gave up', unknown: '',
    };
    const badge = $('state');
    const text = words[progress.state] ?? progress.state;
    if (badge.textContent !== text) badge.textContent = text;
    badge.className = 'badge';
    if (isRunning()) badge.classList.add('live');
    if (progress.state === 'gave up') { badge.classList.add('bad'); badge.title = progress.trouble; }
    $('follow-label').hidden = !isRunning();
}

const isRunning = () => progress && (progress.state === 'running' || progress.state === 'starting');

// --- frames ------------------------------------------------------------------------------------

function seekTo(number) {
    let best = 0;
    player.frames.forEach((f, i) => { if (Math.abs(f - number) < Math.abs(player.frames[best] - number)) best = i; });
    return player.show(best);
}

function showNow() {
    const { index, number, frames } = player;
    const scrub = $('scrub');
    scrub.max = Math.max(0, frames.length - 1);
    if (document.activeElement !== scrub || player.isPlaying || Number(scrub.value) !== index) scrub.value = Math.max(0, index);
    if (index < 0) return;
    const text = document.createElement('small');
    text.textContent = seconds(player.time);
    $('now').replaceChildren(`${number} / ${frames[frames.length - 1]}  `, text);
    scrub.setAttribute('aria-valuetext', `frame ${number} of ${frames[frames.length - 1]}, ${seconds(player.time)}`);
}

function lookOf(object) {
    if (!object.isCloth) return [{ colour: run.obstacle, sheen: 0 }];
    const looks = run.looks[object.name];
    if (looks?.length) return looks;
    const i = player.packet.objects.filter((o) => o.isCloth).findIndex((o) => o.name === object.name);
    const [colour, back] = run.palette[Math.max(0, i) % run.palette.length];
    return [{ colour, back }];
}

function onFrame() {
    $('loading').hidden = true;
    showTrouble(null);
    for (const o of player.packet.objects) o.longestEdge = run.edgeLengths?.[o.name]?.[1];
    stage.setObjects(player.packet.objects, lookOf);
    if (run.cameras) stage.setSceneView(cameraNow());
    if (run.cameras && stage.followsCamera) stage.setCamera(cameraNow());
    growRange();
    showNow();
    charts.setFrame(player.number);
    showObjects();
    showPinned();
    if (!player.isPlaying) describe();
}

function describe() {
    const cloths = player.packet.objects.filter((o) => o.isCloth);
    const faces = cloths.reduce((sum, o) => sum + o.faces.length / 3, 0);
    const text = `${run.name}, frame ${player.number}: ${cloths.map((o) => o.name).join(', ')} with ${faces.toLocaleString('en')} faces, coloured by ${mode.label.toLowerCase()}`;
    $('canvas').setAttribute('aria-label', text);
}

function cameraNow() { return run.cameras[Math.min(player.number ?? 0, run.cameras.length - 1)]; }

// --- colours -----------------------------------------------------------------------------------

/** What the frames must hold for what is shown. */
function needs() {
    const list = [];
    if (mode.name === 'velocity' || pinned || $('ellipses').checked) list.push('speed');
    if (mode.name === 'driver' || pinned || $('ellipses').checked) list.push('sizing');
    return list;
}

const shownFactor = () => (mode.unit === '%' ? 100 : mode.unit === 'm²' ? 1e4 : 1);
const shownUnit = () => (mode.unit === 'm²' ? 'cm²' : mode.unit);

function startRange(name) {
    const hasMany = (map) => map && Object.keys(map).length;
    if (name === 'strain' && hasMany(run.strainLimits)) {
        const most = Math.max(...Object.values(run.strainLimits).flat().map(Math.abs));
        return [-most, most];
    }
    if (name === 'size' && hasMany(run.edgeLengths)) {
        const all = Object.values(run.edgeLengths).flat();
        const area = (edge) => (Math.sqrt(3) / 4) * edge * edge;
        return [area(Math.min(...all)), area(Math.max(...all))];
    }
    return null;
}

/** The colours' ends take in what comes, unless they were chosen or follow from the scene. */
function growRange() {
    if (!mode.colours) return;
    const known = ranges[mode.name];
    if (!known?.fixed) {
        const range = startRange(mode.name);
        if (range) ranges[mode.name] = { range, fixed: true };
        else {
            const own = stage.fittingRange();
            if (own) {
                const old = known?.range;
                ranges[mode.name] = { range: old ? [Math.min(old[0], own[0]), Math.max(old[1], own[1])] : own, fixed: false };
            }
        }
    }
    showRange();
}

function showRange() {
    const entry = ranges[mode.name];
    $('legend').hidden = !entry;
    if (!entry) { $('hint').textContent = `${mode.hint}. This run has no such data.`; return; }
    stage.setRange(entry.range);
    for (const [id, k] of [['low', 0], ['high', 1]]) {
        if (document.activeElement === $(id)) continue;
        const v = entry.range[k] * shownFactor();
        const text = `${Math.abs(v) >= 0.001 || v === 0 ? Number(v.toPrecision(3)) : v.toExponential(1)}`;
        $(id).value = shownUnit() ? `${text} ${shownUnit()}` : text;
    }
}

function chooseRange() {
    const values = ['low', 'high'].map((id) => parseFloat($(id).value.replace(',', '.').replace('−', '-')) / shownFactor());
    if (values.some((v) => !Number.isFinite(v)) || values[0] >= values[1] || (mode.name === 'size' && values[0] <= 0)) {
        say('The colour range must be two numbers, the lower one first.');
        showRange();
        return;
    }
    ranges[mode.name] = { range: values, fixed: true };
    showRange();
}

function fitRange() {
    const own = stage.fittingRange();
    if (own) ranges[mode.name] = { range: own, fixed: true };
    showRange();
}

function drawScale() {
    const canvas = $('scale'), g = canvas.getContext('2d');
    const line = mode.colours[mode.colours.length - 1]; // of well-shaped faces
    const columns = line.length / 6;
    for (let x = 0; x < canvas.width; x++) {
        const c = Math.min(columns - 1, Math.floor((x / canvas.width) * columns));
        g.fillStyle = `#${line.slice(6 * c, 6 * c + 6)}`;
        g.fillRect(x, 0, 1, canvas.height);
    }
    canvas.setAttribute('aria-label', `Colour scale: ${mode.hint}`);
}

function setMode(name) {
    mode = run.modes.find((m) => m.name === name);
    document.querySelector(`#modes input[value="${name}"]`).checked = true;
    $('hint').textContent = mode.hint;
    $('legend').hidden = true;
    const list = $('names');
    list.hidden = !mode.categories;
    list.replaceChildren(...(mode.categories ?? []).map(({ name: text, colour }) => {
        const item = document.createElement('li'), dot = document.createElement('i');
        dot.style.background = colour;
        item.append(dot, text);
        return item;
    }));
    if (mode.colours) drawScale();
    stage?.setMode(name, mode);
    const ready = player.setNeeds(needs());
    if (stage && player.packet) { growRange(); describe(); }
    say(`Coloured by ${mode.label.toLowerCase()}`);
    return ready;
}

function showModes() {
    $('modes').replaceChildren(...run.modes.map((m, i) => {
        const label = document.createElement('label'), input = document.createElement('input');
        const text = document.createElement('span'), key = document.createElement('kbd');
        Object.assign(input, { type: 'radio', name: 'mode', value: m.name });
        input.setAttribute('aria-keyshortcuts', String(i + 1));
        input.addEventListener('change', () => setMode(m.name));
        text.textContent = m.label;
        key.textContent = i + 1;
        key.setAttribute('aria-hidden', 'true');
        label.append(input, text, key);
        return label;
    }));
}

// --- objects -----------------------------------------------------------------------------------

function showObjects() {
    const list = player.packet.objects;
    const now = list.map((o) => o.name).join('\n');
    if (now !== names) {
        names = now;
        $('objects').replaceChildren(...list.map((object) => {
            const label = document.createElement('label'), input = document.createElement('input');
            const dot = document.createElement('i'), text = document.createElement('span');
            const count = document.createElement('small');
            label.className = 'switch';
            Object.assign(input, { type: 'checkbox', checked: !stage.hidden.has(object.name) });
            input.addEventListener('change', () => stage.setVisible(object.name, input.checked));
            const look = lookOf(object);
            dot.style.background = look[object.isCloth ? Math.min(object.fabric, look.length - 1) : 0].colour;
            text.textContent = object.name;
            count.dataset.object = object.name;
            label.append(input, dot, text, count);
            return label;
        }));
    }
    for (const count of $('objects').querySelectorAll('small')) {
        const object = list.find((o) => o.name === count.dataset.object);
        count.textContent = `${(object.faces.length / 3).toLocaleString('en')} faces`;
    }
}

// --- faces -------------------------------------------------------------------------------------

/** World points of the edges that a face's metric allows, about its middle. */
function ellipsePoints(object, face) {
    const ellipse = faceEllipse(object, face);
    if (!ellipse || !Number.isFinite(ellipse.longest)) return null;
    const { u, v } = faceGradient(object, face);
    const { positions, faces } = object;
    const middle = [0, 1, 2].map((d) => [0, 1, 2].reduce((s, k) => s + positions[3 * faces[3 * face + k] + d] / 3, 0));
    const points = [];
    for (let i = 0; i < 64; i++) {
        const t = (i / 64) * 2 * Math.PI;
        const a = 0.5 * ellipse.longest * Math.cos(t), b = 0.5 * ellipse.shortest * Math.sin(t);
        const mu = a * Math.cos(ellipse.angle) - b * Math.sin(ellipse.angle);
        const mv = a * Math.sin(ellipse.angle) + b * Math.cos(ellipse.angle);
        for (let d = 0; d < 3; d++) points.push(middle[d] + mu * u[d] + mv * v[d]);
    }
    return points;
}

function length(metres) {
    if (!Number.isFinite(metres)) return '–';
    return metres >= 1 ? `${readable(metres)} m` : `${readable(1000 * metres)} mm`;
}

function showFace(hit) {
    const card = $('face');
    if (!hit) { card.hidden = true; stage.mark(null, null); return; }
    const { object, normals } = hit.surface, f = hit.face;
    const [area, aspect] = faceShape(object, f);
    const [stretch, squeeze] = faceStrain(object, f);
    const [k1, k2] = faceCurvature(object, normals, f);
    const rows = [
        ['Area', `${readable(1e4 * area)} cm²`], ['Aspect', readable(aspect)],
        ['Principal strains', `${readable(100 * stretch)} %, ${readable(100 * squeeze)} %`],
        ['Curvatures', `${readable(k1)}, ${readable(k2)} 1/m`],
    ];
    if (object.speed) {
        rows.push(['Speed', `${readable([0, 1, 2].reduce((s, k) => s + object.speed[object.faces[3 * f + k]] / 3, 0))} m/s`]);
    }
    if (object.generations) rows.push(['Generation', `${object.generations[f]}`]);
    const fabric = run.fabrics[object.fabrics ? object.fabrics[f] : object.fabric];
    if (fabric && run.looks[object.name]) rows.push(['Fabric', fabric]);
    const drivers = faceDrivers(object, f), ellipse = faceEllipse(object, f);
    if (ellipse) {
        rows.push(['Metric allows', `${length(ellipse.longest)} × ${length(ellipse.shortest)}`]);
        const least = strongestDriver(object, f)[1];
        drivers.forEach((d, i) => rows.push([`${run.drivers[i]} asked for`, length(d), d === least]));
    }
    const title = document.createElement('h2'), list = document.createElement('dl');
    title.textContent = `${hit.name}, face ${f}`;
    for (const [name, value, most] of rows) {
        const dt = document.createElement('dt'), dd = document.createElement('dd');
        dt.textContent = name[0].toUpperCase() + name.slice(1);
        dd.textContent = value;
        if (most) dd.className = 'most';
        list.append(dt, dd);
    }
    card.replaceChildren(title, list);
    card.hidden = false;
    stage.mark(hit, ellipsePoints(object, f));
}

/** A pinned face stays while its mesh does; faces of other frames have other numbers. */
function showPinned() {
    if (!pinned) return;
    const surface = stage.surfaces.get(pinned.name);
    if (!surface || pinned.face >= surface.faceCount || (surface.faceCount !== pinned.count)) { pinned = null; showFace(null); return; }
    showFace({ ...pinned, surface });
}

async function pin(hit) {
    pinned = hit ? { name: hit.name, face: hit.face, count: hit.surface.faceCount } : null;
    showFace(hit);
    await player.setNeeds(needs());
    showPinned();
    if (hit) say(`${hit.name}, face ${hit.face} selected`);
}

// --- controls ----------------------------------------------------------------------------------

function setTheme(theme, keep) {
    document.documentElement.dataset.theme = theme;
    stage?.setTheme(theme);
    charts.draw();
    if (keep) try { localStorage.setItem('pleat-theme', theme); } catch { /* pages from disk may not */ }
}

function startTheme() {
    let kept = null;
    try { kept = localStorage.getItem('pleat-theme'); } catch { /* as above */ }
    return kept ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

function fold(id, button, open) {
    $(id).classList.toggle('folded', !open);
    $(button).setAttribute('aria-expanded', String(open));
    charts.draw();
    stage?.resize();
}

const isOpen = (button) => $(button).getAttribute('aria-expanded') === 'true';
const toggleTheme = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark', true);

async function savePicture() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await stage.picture());
    link.download = `${run.name}_${String(player.number).padStart(5, '0')}_${mode.name}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`Saved ${link.download}`);
}

function togglePlay() { if (player.isPlaying) player.pause(); else { $('follow').checked = false; player.play(); } }

function useSceneCamera() {
    if (!run.cameras) return;
    stage.setCamera(cameraNow());
    say('Camera of the scene');
}

function setFlag(id) { $(id).checked = !$(id).checked; $(id).dispatchEvent(new Event('change')); }

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
    const target = event.target;
    const isField = target.matches('input[type="text"], select, textarea');
    if (isField) return;
    const isRange = target.matches('input[type="range"]'), isRadio = target.matches('input[type="radio"]');
    const turn = Math.PI / 24;
    const keys = {
        w: () => setFlag('wireframe'), e: () => setFlag('ellipses'), f: () => stage.frameAll(),
        c: useSceneCamera, s: savePicture, t: toggleTheme, l: () => setFlag('follow'),
        p: () => fold('panel', 'fold', !isOpen('fold')), g: () => fold('charts', 'charts-fold', !isOpen('charts-fold')),
        '?': () => $('keys').showModal(), '+': () => stage.zoom(0.9), '=': () => stage.zoom(0.9), '-': () => stage.zoom(1.1),
        escape: () => pin(null),
        home: () => { player.pause(); player.show(0); }, end: () => { player.pause(); player.show(player.frames.length - 1); },
    };
    if (event.key === ' ') {
        if (target.matches('button, input[type="checkbox"], a')) return; // they press themselves
        togglePlay();
    } else if (event.key.startsWith('Arrow')) {
        if (isRadio || (isRange && !event.shiftKey)) return; // they move themselves
        if (event.shiftKey) {
            stage.orbit({ ArrowLeft: -turn, ArrowRight: turn }[event.key] ?? 0, { ArrowUp: turn, ArrowDown: -turn }[event.key] ?? 0);
        } else if (event.key === 'ArrowLeft') player.step(-1);
        else if (event.key === 'ArrowRight') player.step(1);
        else return;
    } else if (/^[1-9]$/.test(event.key) && run.modes[event.key - 1]) setMode(run.modes[event.key - 1].name);
    else if (keys[event.key.toLowerCase()]) keys[event.key.toLowerCase()]();
    else return;
    event.preventDefault();
}

function wire() {
    $('play').addEventListener('click', togglePlay);
    $('back').addEventListener('click', () => player.step(-1));
    $('on').addEventListener('click', () => player.step(1));
    $('scrub').addEventListener('input', () => { player.pause(); $('follow').checked = false; player.show(Number($('scrub').value)); });
    $('speed').addEventListener('change', () => { player.speed = Number($('speed').value); });
    $('wireframe').addEventListener('change', () => { stage.shared.wireframe.value = $('wireframe').checked; stage.redraw(); });
    $('ellipses').addEventListener('change', () => { player.setNeeds(needs()); if (!$('ellipses').checked && !pinned) showFace(null); });
    $('follow').addEventListener('change', () => { if ($('follow').checked) player.show(player.frames.length - 1); });
    $('frame-all').addEventListener('click', () => stage.frameAll());
    $('scene-camera').addEventListener('click', useSceneCamera);
    $('theme').addEventListener('click', toggleTheme);
    $('shoot').addEventListener('click', savePicture);
    $('help').addEventListener('click', () => $('keys').showModal());
    $('fold').addEventListener('click', () => fold('panel', 'fold', !isOpen('fold')));
    $('charts-fold').addEventListener('click', () => fold('charts', 'charts-fold', !isOpen('charts-fold')));
    $('low').addEventListener('change', chooseRange);
    $('high').addEventListener('change', chooseRange);
    $('fit').addEventListener('click', fitRange);
    document.addEventListener('keydown', onKey);

    player.addEventListener('frame', onFrame);
    player.addEventListener('trouble', (event) => showTrouble(event.error));
    player.addEventListener('state', () => {
        $('play').classList.toggle('playing', player.isPlaying);
        $('play').setAttribute('aria-label', player.isPlaying ? 'Pause' : 'Play');
        if (!player.isPlaying) say(`Frame ${player.number}`);
    });

    let pressed = null, waiting = false;
    const canvas = $('canvas');
    canvas.addEventListener('pointerdown', (event) => { pressed = [event.clientX, event.clientY]; });
    canvas.addEventListener('pointerup', (event) => {
        if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4 && event.button === 0) pin(stage.pick(event.clientX, event.clientY));
        pressed = null;
    });
    canvas.addEventListener('pointermove', (event) => {
        if (!$('ellipses').checked || pinned || event.buttons || waiting || player.isPlaying) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; if (!pinned) showFace(stage.pick(event.clientX, event.clientY)); });
    });
    canvas.addEventListener('pointerleave', () => { if (!pinned) showFace(null); });
}

function showFiles() {
    if (!source.isLive) return;
    $('files-section').hidden = false;
    $('files').replaceChildren(...['stats.csv', 'scene.json', 'run.json'].map((name) => {
        const link = document.createElement('a');
        Object.assign(link, { href: source.file(name), textContent: name, download: name });
        return link;
    }));
}

// --- the run -----------------------------------------------------------------------------------

async function refresh() {
    const answer = await source.progress(charts.count);
    const isNew = !progress || answer.frames.flat().join() !== progress.frames.flat().join();
    progress = answer;
    if (answer.columns.length) charts.setRows(answer.columns, answer.firstRow, answer.rows);
    if (isNew) {
        player.setFrames(answer.frames.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)));
        showNow();
    }
    showState();
    return isNew;
}

async function poll() {
    try {
        const isNew = await refresh();
        if (!$('trouble').hidden && player.packet) showTrouble(null);
        if (!run && player.frames.length) await begin();
        else if (isNew && $('follow').checked && isRunning() && !player.isPlaying) await player.show(player.frames.length - 1);
        else if (isNew && progress.state === 'finished' && $('follow').checked && !player.isPlaying && player.index >= 0 && wasFollowing) await player.show(player.frames.length - 1);
        wasFollowing = isRunning();
    } catch (error) {
        showTrouble(error);
    }
    // A run that is done may be resumed, and one whose folder is gone may come back.
    if (source.isLive) setTimeout(poll, isRunning() ? POLL : 4 * POLL);
}
let wasFollowing = false;

async function begin() {
    run = await source.run();
    document.title = `${run.name} – Pleat`;
    $('title').textContent = run.name;
    player.fps = run.fps;
    try {
        stage = new Stage($('canvas'), run.up);
    } catch {
        run = null;
        throw new Error('The viewer needs WebGL 2, which this browser does not support.');
    }
    stage.setTheme(document.documentElement.dataset.theme);
    $('scene-camera').hidden = !run.cameras;
    showModes();
    showFiles();
    setMode('fabric');
    if (run.cameras) stage.followsCamera = true;
    await player.show(isRunning() ? player.frames.length - 1 : 0);
    if (run.cameras) stage.setCamera(cameraNow());
}

setTheme(startTheme(), false);
if (innerWidth <= 640) fold('panel', 'fold', false);
wire();
if (!source.isLive) $('charts').dataset.exported = '';
await poll();
