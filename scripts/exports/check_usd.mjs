// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Reads .usda files with the parser of three.js and compares them with FOLDER/expected.json.
//   node check_usd.mjs THREE_FOLDER FOLDER
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';

const [three, folder] = process.argv.slice(2);
const { USDAParser } = await import(path.resolve(three, 'examples/jsm/loaders/usd/USDAParser.js'));
const expected = JSON.parse(fs.readFileSync(path.join(folder, 'expected.json'), 'utf8'));

// {attribute: samples by frame} of the prim "sheet".
function read(file) {
    const { specsByPath } = new USDAParser().parseData(fs.readFileSync(file, 'utf8'));
    const attributes = {};
    for (const [place, spec] of Object.entries(specsByPath)) {
        const match = /^\/run\/sheet\.(.*)$/.exec(place);
        if (match) attributes[match[1]] = spec.fields;
    }
    return attributes;
}
const frames = Object.keys(expected.frames).map(Number);
const largest = values => {
    let most = 0;
    for (let i = 0; i < values.length; i += 3)
        most = Math.max(most, Math.hypot(values[i], values[i + 1], values[i + 2]));
    return most;
};

const run = read(path.join(folder, 'run/run.usda'));
for (const [i, frame] of frames.entries()) {
    const want = expected.frames[frame];
    const sample = name => {
        const { times, values } = run[name].timeSamples;
        assert.equal(times.length, frames.length, name);
        assert.equal(times[i], frame, name);
        return values[i].flat();
    };
    const points = sample('points');
    assert.equal(points.length, 3 * want.nodes);
    for (let k = 0; k < 3; ++k) {
        let sum = 0;
        for (let j = k; j < points.length; j += 3) sum += points[j];
        assert.ok(Math.abs(sum - want.x_sum[k]) < 1e-4 * (1 + Math.abs(want.x_sum[k])));
    }
    const velocities = sample('velocities');
    assert.equal(velocities.length, points.length);
    assert.ok(Math.abs(largest(velocities) - want.speed) < 1e-4 * (1 + want.speed));
    assert.equal(sample('faceVertexIndices').length, 3 * want.faces);
    assert.equal(sample('faceVertexCounts').length, want.faces);
    assert.equal(sample('primvars:st').length, 2 * want.verts);
}
const bake = read(path.join(folder, 'bake/run.usda'));
assert.ok(bake.faceVertexIndices.default.length > 0, 'constant topology');
for (const values of bake.points.timeSamples.values)
    assert.equal(values.flat().length, 3 * expected.bake.points);
console.log(`check: three.js read ${frames.length} frames of USD with velocities, and constant topology`);
