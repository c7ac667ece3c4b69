// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the page computes from a frame's bytes, against known shapes and against the program.
//   node values_test.mjs PLEAT
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

const pleat = process.argv[2];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const load = (name) => import(pathToFileURL(path.join(root, 'viewer', name)));
const values = await load('face_values.js');
const { decodePacket, fromHalf } = await load('packet.js');

/** A sheet of n x n cells over the unit square, at place(u, v). */
function sheet(n, place) {
    const positions = [], points = [], faces = [];
    for (let j = 0; j <= n; j++) for (let i = 0; i <= n; i++) { points.push(i / n, j / n); positions.push(...place(i / n, j / n)); }
    for (let j = 0; j < n; j++) for (let i = 0; i < n; i++) {
        const a = j * (n + 1) + i;
        faces.push(a, a + 1, a + n + 2, a, a + n + 2, a + n + 1);
    }
    const object = { isCloth: true, positions: new Float32Array(positions), points: new Float32Array(points), faces: new Uint32Array(faces), fabric: 0 };
    return { ...object, pointFaces: object.faces };
}

const near = (a, b, slack, words) => assert.ok(Math.abs(a - b) <= slack, `${words ?? ''} ${a} is not ${b}`);

test('half-precision numbers are read', () => {
    for (const [bits, number] of [[0, 0], [0x3c00, 1], [0xc000, -2], [0x7bff, 65504], [0x7c00, Infinity], [0x0001, 2 ** -24], [0x3555, 0.333251953125]]) assert.equal(fromHalf(bits), number);
    assert.ok(Number.isNaN(fromHalf(0x7e00)));
});

test('strains are those of the stretch', () => {
    const stretched = sheet(4, (u, v) => [1.1 * u, 0, 0.95 * v]);
    for (let f = 0; f < 32; f++) {
        const [high, low] = values.faceStrain(stretched, f);
        near(high, 0.1, 1e-5);
        near(low, -0.05, 1e-5);
    }
    const turned = sheet(4, (u, v) => [0.6 * u - 0.8 * v, 0.8 * u + 0.6 * v, 2]);
    for (let f = 0; f < 32; f++) for (const s of values.faceStrain(turned, f)) near(s, 0, 1e-5);
});

test('sizes and shapes are those of the material', () => {
    const object = sheet(5, (u, v) => [3 * u, v, u * v]);
    let sum = 0;
    for (let f = 0; f < 50; f++) {
        const [area, aspect] = values.faceShape(object, f);
        sum += area;
        near(aspect, 1 / Math.sqrt(3), 1e-5, 'right isosceles');
    }
    near(sum, 1, 1e-6);
});

test('curvatures are those of a cylinder', () => {
    const radius = 0.4;
    const object = sheet(60, (u, v) => [radius * Math.sin(u / radius), v, radius * Math.cos(u / radius)]);
    const normals = values.nodeNormals(object, new Float32Array(object.positions.length));
    for (let f = 120 * 30 + 20; f < 120 * 30 + 100; f++) { // away from the outline
        const [k1, k2] = values.faceCurvature(object, normals, f);
        near(Math.abs(k1), 1 / radius, 0.03 / radius);
        near(k2, 0, 0.03 / radius);
    }
});

test('no driver rules where the longest edge does', () => {
    const half = { 0.05: 0x2a66, 0.2: 0x3266, 0.5: 0x3800, inf: 0x7c00 };
    const object = { ...sheet(1, (u, v) => [u, v, 0]), driverCount: 4, drivers: new Uint16Array([half[0.5], half[0.05], half.inf, half[0.2], half[0.5], half[0.2], half.inf, half.inf]) };
    const shown = () => Array.from(values.fillFaceValues('driver', object, null, new Float32Array(4)));
    assert.deepEqual(shown().filter((_, i) => i % 2 === 0), [2, 2]);
    object.longestEdge = 0.2;
    assert.deepEqual(shown().filter((_, i) => i % 2 === 0), [2, 0], 'the second face asks for no less than 0.2 m');
    near(shown()[1], 0.05, 1e-4);
});

test('generations are those of the frame, in a range from zero', () => {
    const object = { ...sheet(1, (u, v) => [u, v, 0]), generations: new Uint8Array([0, 5]) };
    const list = values.fillFaceValues('generation', object, null, new Float32Array(4));
    assert.deepEqual(Array.from(list), [0, 0, 5, 0]);
    assert.deepEqual(values.fittingRange('generation', list, 2), [0, 5]);
    delete object.generations;
    assert.ok(values.fillFaceValues('generation', object, null, new Float32Array(4)).every(Number.isNaN));
});

test('ranges leave out extremes and keep zero in the middle', () => {
    const list = new Float32Array(2000);
    for (let f = 0; f < 1000; f++) list[2 * f] = f === 0 ? 50 : 0.1 * (f / 1000);
    const [low, high] = values.fittingRange('strain', list, 1000);
    assert.ok(high > 0.09 && high < 0.11 && low === -high);
    assert.equal(values.fittingRange('velocity', list, 1000)[0], 0);
    assert.equal(values.fittingRange('velocity', new Float32Array(10).fill(NaN), 5), null);
});

test('what is broken is refused', () => {
    assert.throws(() => decodePacket(new ArrayBuffer(0)), /not written by this version/);
    assert.throws(() => decodePacket(new ArrayBuffer(64)), /not written by this version/);
});

test('a run says the same to the page as to its statistics', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pleat_values_'));
    try {
        const run = path.join(folder, 'run'), page = path.join(folder, 'page.html');
        const words = [['run', path.join(root, 'scenes/sphere-anisotropic/quick.json'), '-q', '--frames', '10', '-o', run], ['view', run, '--export', page]];
        for (const line of words) assert.equal(spawnSync(pleat, line).status, 0);
        const html = readFileSync(page, 'utf8');
        const [head, ...rows] = readFileSync(path.join(run, 'stats.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
        for (const frame of [0, 5, 10]) {
            const text = new RegExp(`id="pleat-frame-${frame}">([^<]*)<`).exec(html)[1];
            const bytes = inflateSync(Buffer.from(text, 'base64'));
            const packet = decodePacket(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
            const cloth = packet.objects.find((o) => o.isCloth), count = cloth.faces.length / 3;
            const stat = (name) => Number(rows[frame][head.indexOf(name)]);
            assert.equal(count, stat('faces'));
            assert.equal(cloth.positions.length / 3, stat('nodes'));
            const strains = Array.from({ length: count }, (_, f) => values.faceStrain(cloth, f));
            near(Math.max(...strains.map((s) => s[0])), Math.max(0, stat('max_stretch')), 2e-4, 'stretch');
            near(Math.max(0, ...strains.map((s) => -s[1])), Math.abs(stat('max_compression')), 2e-4, 'compression');
            assert.equal(cloth.speed.length, cloth.positions.length / 3);
            assert.equal(cloth.driverCount, 4);
            assert.equal(cloth.drivers.length, 4 * count);
            for (let f = 0; f < count; f++) { // edges that the scene allows
                const { longest, shortest } = values.faceEllipse(cloth, f);
                assert.ok(shortest >= 0.0199 && longest <= 0.2002 && shortest <= longest + 1e-4, `${shortest} ${longest}`);
            }
        }
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
});
