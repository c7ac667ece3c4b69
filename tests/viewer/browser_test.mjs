// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// The page in a real browser: a finished run, a running one, an exported file, hands and ears.
//   PLEAT_CHROMIUM=... PLEAT_PLAYWRIGHT=... node browser_test.mjs PLEAT
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const pleat = process.argv[2];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { chromium } = await import(pathToFileURL(path.join(process.env.PLEAT_PLAYWRIGHT, 'index.mjs')));
const patience = 30000; // [ms]; the machine may be busy

function runPleat(...words) {
    const done = spawnSync(pleat, words, { encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
}

/** `pleat view`, with the address it printed. */
function serve(...words) {
    const child = spawn(pleat, ['view', '--no-open', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    return new Promise((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (data) => {
            text += data;
            const found = /http:\S+\//.exec(text);
            if (found) resolve({ address: found[0], stop: () => new Promise((done) => { child.once('exit', done); child.kill('SIGINT'); }) });
        });
        child.once('exit', (code) => reject(new Error(`pleat view ended with ${code}`)));
    });
}

let browser, folder, finished, server;

/** A page that remembers what the browser complained about. */
async function open(address, size = { width: 760, height: 560 }, options = {}) {
    const context = await browser.newContext({ viewport: size, colorScheme: 'light', ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
    page.on('pageerror', (error) => page.complaints.push(String(error)));
    await page.goto(address);
    await page.waitForFunction(() => window.pleat?.player.shown > 0, null, { timeout: patience });
    return page;
}

async function close(page, expected = []) {
    const bad = page.complaints.filter((c) => !expected.some((e) => c.includes(e)) && !/GPU stall|GL Driver Message/.test(c));
    await page.context().close();
    assert.deepEqual(bad, [], 'the console stays clean');
}

/** Mean colour of what is not background, and its share of the picture. */
function seen(page) {
    return page.evaluate(() => {
        const { stage } = window.pleat;
        stage.draw();
        const gl = stage.renderer.getContext();
        const { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
        const data = new Uint8Array(4 * w * h);
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
        const sum = [0, 0, 0];
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
            if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) < 12) continue;
            count++;
            for (let k = 0; k < 3; k++) sum[k] += data[i + k];
        }
        return { share: count / (w * h), colour: sum.map((s) => Math.round(s / Math.max(1, count))) };
    });
}

const shown = (page, number) => page.waitForFunction((n) => window.pleat.player.number === n, number, { timeout: patience });
const distance = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pleat_browser_'));
    finished = path.join(folder, 'finished');
    runPleat('run', path.join(root, 'scenes/sphere-anisotropic/quick.json'), '-q', '--frames', '12', '-o', finished);
    browser = await chromium.launch({
        executablePath: process.env.PLEAT_CHROMIUM,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    });
    server = await serve(finished);
});

after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
});

describe('a finished run', () => {
    test('opens, plays, pauses and is scrubbed', async () => {
        const page = await open(server.address);
        assert.match(await page.title(), /finished – Pleat/);
        assert.ok((await seen(page)).share > 0.05, 'cloth is to be seen');
        await page.click('#play');
        await page.waitForFunction(() => window.pleat.player.number >= 5, null, { timeout: patience });
        assert.equal(await page.getAttribute('#play', 'aria-label'), 'Pause');
        await page.click('#play');
        assert.equal(await page.evaluate(() => window.pleat.player.isPlaying), false);
        await page.fill('#scrub', '9');
        await shown(page, 9);
        assert.match(await page.textContent('#now'), /^9 \/ 12\s+0\.36 s$/);
        await page.click('#on');
        await shown(page, 10);
        await page.click('#back');
        await shown(page, 9);
        await close(page);
    });

    test('plays at true speed', async () => {
        const page = await open(server.address);
        await page.evaluate(async () => { // all frames are read before the clock starts
            const { player } = window.pleat;
            for (let i = 12; i >= 0; i--) await player.show(i);
            player.loops = false;
            player.speed = 0.5;
        });
        const milliseconds = await page.evaluate(() => new Promise((resolve) => {
            const { player } = window.pleat, start = performance.now();
            player.addEventListener('state', () => { if (!player.isPlaying) resolve(performance.now() - start); });
            player.play();
        }));
        // 13 frames at 25 a second and half speed; a slow machine may be late, never early.
        assert.ok(milliseconds > 960, `${milliseconds} ms`);
        await close(page);
    });

    test('colours show what was chosen', async () => {
        const page = await open(server.address);
        await page.fill('#scrub', '12');
        await shown(page, 12);
        const colours = {};
        for (const mode of ['fabric', 'size', 'aspect', 'strain', 'velocity', 'curvature', 'material', 'driver']) {
            await page.check(`#modes input[value=${mode}]`);
            await page.waitForFunction((m) => {
                const { stage, player } = window.pleat, sheet = player.packet.objects.find((o) => o.isCloth);
                return stage.mode === m && (m !== 'velocity' || sheet.speed) && (m !== 'driver' || sheet.drivers);
            }, mode, { timeout: patience });
            colours[mode] = (await seen(page)).colour;
            const isScale = !['fabric', 'material', 'driver'].includes(mode);
            assert.equal(await page.isVisible('#legend'), isScale, `legend of ${mode}`);
            assert.equal(await page.isVisible('#names'), ['material', 'driver'].includes(mode));
        }
        const names = Object.keys(colours);
        for (const a of names) for (const b of names) if (a < b) assert.ok(distance(colours[a], colours[b]) > 3, `${a} ${colours[a]} looks like ${b} ${colours[b]}`);
        // The ends of the scale can be chosen.
        await page.check('#modes input[value=velocity]');
        await page.waitForSelector('#legend:not([hidden])');
        const before = (await seen(page)).colour;
        await page.fill('#high', '100 m/s');
        await page.press('#high', 'Enter');
        assert.ok(distance(before, (await seen(page)).colour) > 5);
        await page.fill('#high', 'nonsense');
        await page.press('#high', 'Tab');
        assert.match(await page.inputValue('#high'), /^100/);
        await close(page);
    });

    test('shows wireframe, objects, ellipses and figures of a face', async () => {
        const page = await open(server.address);
        const plain = await seen(page);
        await page.check('#wireframe');
        assert.ok(distance(plain.colour, (await seen(page)).colour) > 2, 'lines are drawn');
        assert.deepEqual(await page.locator('#objects span').allTextContents(), ['sheet', 'ball']);
        await page.uncheck('#objects label:has-text("sheet") input');
        assert.ok((await seen(page)).share < 0.7 * plain.share);
        await page.check('#objects label:has-text("sheet") input');
        const box = await page.locator('#canvas').boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await page.waitForSelector('#face:not([hidden])');
        await page.waitForFunction(() => /Metric allows/.test(document.getElementById('face').textContent), null, { timeout: patience });
        assert.match(await page.textContent('#face'), /sheet, face \d+.*Area.*cm².*Principal strains.*Curvature asked for/s);
        await page.keyboard.press('Escape');
        assert.equal(await page.isVisible('#face'), false);
        await page.check('#ellipses');
        await page.waitForFunction(() => window.pleat.player.packet.objects[0].ellipses, null, { timeout: patience });
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 10);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 14);
        await page.waitForSelector('#face:not([hidden])');
        await close(page);
    });

    test('shows statistics with a cursor, and is scrubbed by them', async () => {
        const page = await open(server.address);
        assert.equal(await page.locator('.chart:visible').count(), 5);
        const label = () => page.getAttribute('.chart canvas', 'aria-label');
        assert.match(await label(), /^Faces over frames 0 to 12/);
        const energy = () => page.locator('.chart canvas').last().getAttribute('aria-label');
        const first = await energy();
        assert.match(first, /^Energy in J.*kinetic 0, elastic/);
        const box = await page.locator('.chart canvas').first().boundingBox();
        await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
        await shown(page, 12);
        assert.notEqual(await energy(), first, 'the cursor moves');
        const rows = readFileSync(path.join(finished, 'stats.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
        const faces = Number(rows.at(-1)[rows[0].indexOf('faces')]);
        assert.match(await label(), new RegExp(`faces ${faces >= 1000 ? faces.toLocaleString('en') : faces}\\.$`));
        await page.click('#charts-fold');
        assert.equal(await page.locator('.chart:visible').count(), 0);
        await close(page);
    });

    test('saves a picture and switches light and dark', async () => {
        const page = await open(server.address);
        const [download] = await Promise.all([page.waitForEvent('download'), page.click('#shoot')]);
        assert.equal(download.suggestedFilename(), 'finished_00000_fabric.png');
        assert.equal(readFileSync(await download.path()).subarray(1, 4).toString(), 'PNG');
        await page.click('#theme');
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
        await page.reload();
        await page.waitForFunction(() => window.pleat?.player.shown > 0, null, { timeout: patience });
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the choice is kept');
        await close(page);
    });

    test('fits the width of a phone', async () => {
        const page = await open(server.address, { width: 360, height: 720 }, { hasTouch: true, isMobile: true });
        const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(await overflow() <= 0, 'nothing sticks out');
        assert.equal(await page.isVisible('#panel'), false, 'the cloth comes first');
        assert.ok((await seen(page)).share > 0.03);
        const stage = await page.locator('#canvas').boundingBox();
        assert.ok(stage.width === 360 && stage.height > 300, JSON.stringify(stage));
        for (const id of ['#play', '#fold', '#theme']) {
            const box = await page.locator(id).boundingBox();
            assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.width >= 40 && box.height >= 40, `${id} ${JSON.stringify(box)}`);
        }
        await page.tap('#fold');
        await page.waitForSelector('#panel', { state: 'visible' });
        await page.tap('#modes label:has-text("Principal strain")');
        assert.equal(await page.evaluate(() => window.pleat.stage.mode), 'strain');
        assert.ok(await overflow() <= 0);
        await close(page);
    });

    test('says that its folder is gone, and goes on when it is back', async () => {
        const page = await open(server.address);
        renameSync(finished, `${finished}-away`);
        await page.fill('#scrub', '7');
        await page.waitForSelector('#trouble:not([hidden])', { timeout: patience });
        assert.match(await page.textContent('#trouble'), /no longer exists/);
        renameSync(`${finished}-away`, finished);
        await page.waitForSelector('#trouble', { state: 'hidden', timeout: patience });
        await page.fill('#scrub', '8');
        await shown(page, 8);
        await close(page, ['410']);
    });
});

test('a running simulation is followed live', async () => {
    // So long that it still runs when the page of a busy machine is there.
    const hanging = path.join(root, 'scenes/hanging');
    const scene = path.join(folder, 'live.json');
    writeFileSync(scene, readFileSync(path.join(hanging, 'adaptive.json'), 'utf8')
        .replace('"frames": 75', '"frames": 100000')
        .replace('"coarse_sheet.obj"', JSON.stringify(path.join(hanging, 'coarse_sheet.obj'))));
    const live = await serve(scene, '-o', path.join(folder, 'live'), '--threads', '1');
    try {
        const page = await open(live.address);
        assert.match(await page.textContent('#state'), /Running|Starting/);
        assert.ok(await page.isChecked('#follow'));
        const first = await page.evaluate(() => window.pleat.player.number);
        await page.waitForFunction((n) => window.pleat.player.number >= n + 2, first, { timeout: patience });
        // The newest frame is shown; a busy machine may need some time to catch up.
        await page.waitForFunction(() => window.pleat.player.index >= window.pleat.player.frames.length - 3, null, { timeout: patience });
        assert.ok(await page.evaluate(() => window.pleat.charts.count) > 2, 'statistics grow');
        // Looking back stops following; the run goes on.
        await page.fill('#scrub', '0');
        await shown(page, 0);
        assert.equal(await page.isChecked('#follow'), false);
        const count = await page.evaluate(() => window.pleat.player.frames.length);
        await page.waitForFunction((n) => window.pleat.player.frames.length > n, count, { timeout: patience });
        assert.equal(await page.evaluate(() => window.pleat.player.number), 0);
        await page.keyboard.press('l');
        await page.waitForFunction(() => window.pleat.player.index > 1, null, { timeout: patience });
        await close(page);
    } finally {
        await live.stop();
    }
});

test('an exported page works from disk', async () => {
    const file = path.join(folder, 'page.html');
    runPleat('view', finished, '--export', file, '--frames', '0:12:2');
    const page = await open(pathToFileURL(file).href);
    const requests = [];
    page.on('request', (request) => { if (!/^(data|blob):/.test(request.url())) requests.push(request.url()); });
    assert.ok((await seen(page)).share > 0.05);
    await page.press('body', 'End');
    await shown(page, 12);
    const faces = await page.locator('#objects small').allTextContents();
    assert.equal(faces.length, 2, 'the ball is there in later frames too');
    await page.keyboard.press('8');
    await page.waitForFunction(() => window.pleat.stage.mode === 'driver');
    assert.equal(await page.locator('.chart:visible').count(), 5);
    const before = await page.evaluate(() => window.pleat.player.shown);
    await page.press('body', ' ');
    await page.waitForFunction((n) => window.pleat.player.isPlaying && window.pleat.player.shown > n + 3, before, { timeout: patience });
    assert.deepEqual(requests, [], 'it asks nobody for anything');
    await close(page);
});

describe('hands and ears', () => {
    test('everything works by keyboard alone', async () => {
        const page = await open(server.address);
        const state = (expression) => page.evaluate(expression);
        await page.keyboard.press('End');
        await shown(page, 12);
        await page.keyboard.press('ArrowLeft');
        await shown(page, 11);
        await page.keyboard.press('Home');
        await shown(page, 0);
        await page.keyboard.press(' ');
        await page.waitForFunction(() => window.pleat.player.isPlaying && window.pleat.player.number > 1, null, { timeout: patience });
        await page.keyboard.press(' ');
        assert.equal(await state('pleat.player.isPlaying'), false);
        await page.keyboard.press('4');
        assert.equal(await state('pleat.stage.mode'), 'strain');
        await page.keyboard.press('w');
        assert.equal(await state('pleat.stage.shared.wireframe.value'), true);
        const eye = await state('pleat.stage.camera.position.toArray()');
        await page.keyboard.press('Shift+ArrowRight');
        await page.keyboard.press('+');
        assert.ok(distance(eye, await state('pleat.stage.camera.position.toArray()')) > 0.01);
        await page.keyboard.press('f');
        await page.keyboard.press('?');
        await page.waitForSelector('#keys[open]');
        await page.keyboard.press('Escape');
        await page.waitForSelector('#keys', { state: 'hidden' });

        // Tab reaches every control in turn and shows where it is.
        const reached = new Set();
        await page.evaluate(() => document.body.focus());
        for (let i = 0; i < 60; i++) {
            await page.keyboard.press('Tab');
            const now = await page.evaluate(() => {
                const e = document.activeElement;
                if (!e || e === document.body) return null;
                const style = getComputedStyle(e), around = getComputedStyle(e.closest('label') ?? e);
                return { id: e.id || e.value || e.className, ring: style.outlineStyle !== 'none' || around.outlineStyle !== 'none' };
            });
            if (!now) break;
            assert.ok(now.ring, `${now.id} shows that it has the focus`);
            reached.add(now.id);
        }
        for (const id of ['canvas', 'shoot', 'theme', 'help', 'fold', 'strain', 'low', 'fit', 'wireframe', 'ellipses', 'frame-all', 'play', 'scrub', 'speed', 'charts-fold'])
            assert.ok(reached.has(id), `Tab reaches ${id}; it reached ${[...reached].join(', ')}`);
        await close(page);
    });

    test('every control has a name, and the page has its landmarks', async () => {
        const page = await open(server.address);
        await page.keyboard.press('4');
        const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas, [role], a, output')].filter((e) => {
            if (e.closest('[hidden]') || e.getAttribute('aria-hidden') === 'true' || ['status', 'alert'].includes(e.getAttribute('role'))) return false;
            const labelled = e.getAttribute('aria-labelledby') && document.getElementById(e.getAttribute('aria-labelledby'));
            const text = e.getAttribute('aria-label') || labelled?.textContent || e.textContent || e.closest('label')?.textContent;
            return !text?.trim() && !e.closest('figcaption');
        }).map((e) => e.outerHTML.slice(0, 90)));
        assert.deepEqual(nameless, []);
        // As the browser tells it to a screen reader.
        const client = await page.context().newCDPSession(page);
        const { nodes } = await client.send('Accessibility.getFullAXTree');
        const told = nodes.filter((n) => !n.ignored).map((n) => [n.role?.value, n.name?.value ?? '']);
        const has = (role, name) => told.some(([r, t]) => r === role && name.test(t));
        for (const [role, name] of [['banner', /./], ['main', /^/], ['contentinfo', /^/], ['complementary', /Display options/],
            ['button', /^Play$/], ['slider', /^Frame$/], ['radio', /Principal strain/], ['checkbox', /Wireframe/],
            ['image', /finished, frame 0: sheet with [\d,]+ faces, coloured by principal strain/],
            ['image', /Faces over frames 0 to 12/], ['heading', /Colour/], ['combobox', /Speed/]])
            assert.ok(has(role, name) || role === 'banner', `${role} ${name} in ${JSON.stringify(told.filter(([r]) => r === role))}`);
        assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
        assert.match(await page.getAttribute('#scrub', 'aria-valuetext'), /frame 0 of 12, 0\.00 s/);
        assert.match(await page.textContent('#say'), /Coloured by principal strain/, 'changes are said');
        await close(page);
    });

    for (const theme of ['light', 'dark']) test(`all text is readable in ${theme}`, async () => {
        const page = await open(server.address, { width: 760, height: 900 }, { colorScheme: theme });
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
        await page.keyboard.press('8');
        await page.keyboard.press('?');
        const poor = await page.evaluate(() => {
            const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            const rgba = (text) => {
                canvas.clearRect(0, 0, 1, 1);
                canvas.fillStyle = text;
                canvas.fillRect(0, 0, 1, 1);
                return [...canvas.getImageData(0, 0, 1, 1).data];
            };
            const bright = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
            const behind = (e) => {
                for (let p = e; p; p = p.parentElement) {
                    const c = rgba(getComputedStyle(p).backgroundColor);
                    if (c[3] === 255) return c;
                }
                return rgba('white');
            };
            const found = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let n = walker.nextNode(); n; n = walker.nextNode()) {
                const e = n.parentElement;
                if (!n.textContent.trim() || e.closest('[hidden], script, style, noscript, .unseen, .skip') || !e.getClientRects().length) continue;
                const [a, b] = [bright(rgba(getComputedStyle(e).color)), bright(behind(e))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) found.push(`${n.textContent.trim()}: ${ratio.toFixed(2)}`);
            }
            return found;
        });
        assert.deepEqual(poor, []);
        await close(page);
    });
});
