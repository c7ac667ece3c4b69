// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// A frame's bytes (apps/pleat/run_view.hpp says how they lie) as typed arrays that look into them.

const FLAG = { cloth: 1, static: 2, arrays: 4, verts: 8, fabrics: 16, speed: 32, sizing: 64, generations: 128 };

const HEADER_WORDS = 6;

/** The number that a half-precision float stands for. */
export function fromHalf(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * @param {ArrayBuffer} buffer
 * @returns {{frame: number, objects: object[], bytes: number}} every object has name, isCloth,
 *     isStatic, and where it has arrays: positions, faces, and for cloth points, pointFaces, fabric
 *     or fabrics, speed, drivers (driverCount a face), ellipses, generations
 * @throws {Error} where the bytes are no such frame
 */
export function decodePacket(buffer) {
    const words = new Uint32Array(buffer, 0, Math.min(4, buffer.byteLength >> 2));
    if (words.length < 4 || words[0] !== 0x31464c50 || words[1] !== 2) {
        throw new Error('This frame was not written by this version of Pleat.');
    }
    let at = 16;
    const take = (Type, count) => {
        const array = new Type(buffer, at, count);
        at += (array.byteLength + 3) & ~3;
        return array;
    };
    const objects = [];
    for (let i = 0; i < words[3]; i++) {
        const [flags, nameBytes, nodes, verts, faces, fabric] = take(Uint32Array, HEADER_WORDS);
        const object = {
            name: new TextDecoder().decode(take(Uint8Array, nameBytes)),
            isCloth: (flags & FLAG.cloth) !== 0,
            isStatic: (flags & FLAG.static) !== 0,
            hasArrays: (flags & FLAG.arrays) !== 0,
            fabric,
        };
        if (object.hasArrays) {
            object.positions = take(Float32Array, 3 * nodes);
            object.faces = take(Uint32Array, 3 * faces);
            object.points = take(Float32Array, 2 * verts);
            object.pointFaces = flags & FLAG.verts ? take(Uint32Array, 3 * faces) : object.faces;
            if (flags & FLAG.fabrics) object.fabrics = take(Uint16Array, faces);
            if (flags & FLAG.speed) object.speed = take(Float32Array, nodes);
            if (flags & FLAG.sizing) {
                const [count] = take(Uint32Array, 1);
                const halves = take(Uint16Array, (count + 3) * faces);
                object.driverCount = count;
                object.drivers = halves.subarray(0, count * faces);
                object.ellipses = halves.subarray(count * faces);
            }
            if (flags & FLAG.generations) object.generations = take(Uint8Array, faces);
        }
        objects.push(object);
    }
    return { frame: words[2], objects, bytes: buffer.byteLength };
}
