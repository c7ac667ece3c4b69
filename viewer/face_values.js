// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What faces are coloured by: two numbers a face, as src/pleat/render/face_values.hpp defines them.
import { fromHalf } from './packet.js';

/** Area [m^2] and aspect of the triangle with edges p and q from one corner. */
function shape(px, py, pz, qx, qy, qz) {
    const cx = py * qz - pz * qy, cy = pz * qx - px * qz, cz = px * qy - py * qx;
    const area = 0.5 * Math.sqrt(cx * cx + cy * cy + cz * cz);
    if (!(area > 0)) return [0, 0];
    const rx = qx - px, ry = qy - py, rz = qz - pz;
    const edges = px * px + py * py + pz * pz + qx * qx + qy * qy + qz * qz +
                  rx * rx + ry * ry + rz * rz;
    const s = edges / (2 * Math.sqrt(3) * area);
    return [area, 2 / (s + Math.sqrt(Math.max(0, s * s - 4)))];
}

/** Larger and smaller eigenvalue of [[a, b], [b, c]]. */
function eigenvalues(a, b, c) {
    const mean = 0.5 * (a + c), radius = Math.hypot(0.5 * (a - c), b);
    return [mean + radius, mean - radius];
}

export function faceShape(object, f) {
    const { points, pointFaces, positions, faces } = object;
    if (points.length) {
        const a = 2 * pointFaces[3 * f], b = 2 * pointFaces[3 * f + 1], c = 2 * pointFaces[3 * f + 2];
        return shape(points[b] - points[a], points[b + 1] - points[a + 1], 0,
                     points[c] - points[a], points[c + 1] - points[a + 1], 0);
    }
    const a = 3 * faces[3 * f], b = 3 * faces[3 * f + 1], c = 3 * faces[3 * f + 2];
    return shape(positions[b] - positions[a], positions[b + 1] - positions[a + 1],
                 positions[b + 2] - positions[a + 2], positions[c] - positions[a],
                 positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]);
}

/** The map from material to world space: the world vectors of the u and the v axis. */
export function faceGradient(object, f) {
    const { points, pointFaces, positions, faces } = object;
    const a = 2 * pointFaces[3 * f], b = 2 * pointFaces[3 * f + 1], c = 2 * pointFaces[3 * f + 2];
    const ax = points[b] - points[a], ay = points[b + 1] - points[a + 1];
    const bx = points[c] - points[a], by = points[c + 1] - points[a + 1];
    const twice = ax * by - ay * bx;
    const i = 3 * faces[3 * f], j = 3 * faces[3 * f + 1], k = 3 * faces[3 * f + 2];
    const u = [0, 0, 0], v = [0, 0, 0];
    for (let d = 0; d < 3; d++) {
        const p = positions[j + d] - positions[i + d], q = positions[k + d] - positions[i + d];
        u[d] = (by * p - ay * q) / twice;
        v[d] = (ax * q - bx * p) / twice;
    }
    return { u, v };
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function faceStrain(object, f) {
    if (!object.points.length) return [NaN, NaN];
    const { u, v } = faceGradient(object, f);
    const [high, low] = eigenvalues(dot(u, u), dot(u, v), dot(v, v));
    return [Math.sqrt(Math.max(0, high)) - 1, Math.sqrt(Math.max(0, low)) - 1];
}

/** @param normals of the nodes, unit length */
export function faceCurvature(object, normals, f) {
    const { positions, faces } = object;
    const i = 3 * faces[3 * f], j = 3 * faces[3 * f + 1], k = 3 * faces[3 * f + 2];
    const px = positions[j] - positions[i], py = positions[j + 1] - positions[i + 1],
          pz = positions[j + 2] - positions[i + 2];
    const qx = positions[k] - positions[i], qy = positions[k + 1] - positions[i + 1],
          qz = positions[k + 2] - positions[i + 2];
    const length = Math.sqrt(px * px + py * py + pz * pz);
    const nx = py * qz - pz * qy, ny = pz * qx - px * qz, nz = px * qy - py * qx;
    const twice = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (length === 0 || twice === 0) return [NaN, NaN];
    const ex = px / length, ey = py / length, ez = pz / length;
    const fx = (ny * ez - nz * ey) / twice, fy = (nz * ex - nx * ez) / twice,
          fz = (nx * ey - ny * ex) / twice;
    const qe = qx * ex + qy * ey + qz * ez, qf = qx * fx + qy * fy + qz * fz;
    const ax = (normals[j] - normals[i]) / length, ay = (normals[j + 1] - normals[i + 1]) / length,
          az = (normals[j + 2] - normals[i + 2]) / length;
    const bx = (normals[k] - normals[i] - qe * ax) / qf,
          by = (normals[k + 1] - normals[i + 1] - qe * ay) / qf,
          bz = (normals[k + 2] - normals[i + 2] - qe * az) / qf;
    const mixed = 0.5 * (ax * fx + ay * fy + az * fz + bx * ex + by * ey + bz * ez);
    const [high, low] = eigenvalues(ax * ex + ay * ey + az * ez, mixed,
                                    bx * fx + by * fy + bz * fz);
    return Math.abs(high) >= Math.abs(low) ? [high, low] : [low, high];
}

/** Edge lengths [m] that the sizing metrics asked for. */
export function faceDrivers(object, f) {
    const count = object.driverCount;
    return object.drivers ? Array.from(object.drivers.subarray(count * f, count * (f + 1)), fromHalf) : null;
}

/**
 * One plus the number of the sizing metric that asked for the shortest edge, and that edge [m]; 0
 * and infinity where none asked for less than the longest edge that the scene allows
 * (object.longestEdge), which then rules.
 */
export function strongestDriver(object, f) {
    let best = 0, length = Infinity;
    for (let d = 0; d < object.driverCount; d++) {
        const asked = fromHalf(object.drivers[object.driverCount * f + d]);
        if (asked < length) { length = asked; best = d + 1; }
    }
    // Half-precision numbers are good to one in two thousand.
    return length < (object.longestEdge ?? Infinity) * (1 - 2 ** -10) ? [best, length] : [0, Infinity];
}

/** Longest and shortest edge [m] and angle [rad] of the sizing metric. */
export function faceEllipse(object, f) {
    if (!object.ellipses) return null;
    const [longest, shortest, angle] = [0, 1, 2].map((d) => fromHalf(object.ellipses[3 * f + d]));
    return { longest, shortest, angle };
}

/** Unit normals of the nodes, weighted so that they are exact on spheres (Max 1999). */
export function nodeNormals(object, normals) {
    const { positions, faces } = object;
    normals.fill(0, 0, positions.length);
    for (let t = 0; t < faces.length; t += 3) {
        const i = 3 * faces[t], j = 3 * faces[t + 1], k = 3 * faces[t + 2];
        const px = positions[j] - positions[i], py = positions[j + 1] - positions[i + 1],
              pz = positions[j + 2] - positions[i + 2];
        const qx = positions[k] - positions[i], qy = positions[k + 1] - positions[i + 1],
              qz = positions[k + 2] - positions[i + 2];
        const rx = qx - px, ry = qy - py, rz = qz - pz;
        const cx = py * qz - pz * qy, cy = pz * qx - px * qz, cz = px * qy - py * qx;
        const p2 = px * px + py * py + pz * pz || 1e-30, q2 = qx * qx + qy * qy + qz * qz || 1e-30,
              r2 = rx * rx + ry * ry + rz * rz || 1e-30;
        const wi = 1 / (p2 * q2), wj = 1 / (p2 * r2), wk = 1 / (q2 * r2);
        normals[i] += wi * cx; normals[i + 1] += wi * cy; normals[i + 2] += wi * cz;
        normals[j] += wj * cx; normals[j + 1] += wj * cy; normals[j + 2] += wj * cz;
        normals[k] += wk * cx; normals[k + 1] += wk * cy; normals[k + 2] += wk * cz;
    }
    for (let i = 0; i < positions.length; i += 3) {
        const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2) || 1;
        normals[i] /= length; normals[i + 1] /= length; normals[i + 2] /= length;
    }
    return normals;
}

/**
 * Fills two numbers a face. Faces that lack what the mode needs get not-a-number.
 * @param {Float32Array} values at least 2 a face
 */
export function fillFaceValues(mode, object, normals, values) {
    const count = object.faces.length / 3;
    const fill = (one) => {
        for (let f = 0; f < count; f++) {
            const [a, b] = one(f);
            values[2 * f] = a;
            values[2 * f + 1] = b;
        }
    };
    if (mode === 'size') fill((f) => faceShape(object, f));
    else if (mode === 'aspect') fill((f) => faceShape(object, f).reverse());
    else if (mode === 'strain') fill((f) => faceStrain(object, f));
    else if (mode === 'curvature') fill((f) => faceCurvature(object, normals, f));
    else if (mode === 'velocity' && object.speed) {
        const { speed, faces } = object;
        for (let f = 0; f < count; f++) {
            values[2 * f] = (speed[faces[3 * f]] + speed[faces[3 * f + 1]] + speed[faces[3 * f + 2]]) / 3;
            values[2 * f + 1] = 0;
        }
    } else if (mode === 'material' || mode === 'fabric') {
        for (let f = 0; f < count; f++) {
            values[2 * f] = object.fabrics ? object.fabrics[f] : object.fabric;
            values[2 * f + 1] = 0;
        }
    } else if (mode === 'driver' && object.drivers) {
        fill((f) => strongestDriver(object, f));
    } else if (mode === 'generation' && object.generations) {
        fill((f) => [object.generations[f], 0]);
    } else values.fill(NaN, 0, 2 * count);
    return values;
}

/** The number that colours show of a face's two. */
export function shownValue(mode, a, b) {
    return mode === 'strain' && Math.abs(b) > Math.abs(a) ? b : a;
}

/** A range that suits the values but for a few extreme ones; null where there are none. */
export function fittingRange(mode, values, count) {
    if (mode === 'aspect') return [0, 1];
    const shown = [];
    const step = Math.max(1, Math.floor(count / 20000)); // enough to tell
    for (let f = 0; f < count; f += step) {
        const v = shownValue(mode, values[2 * f], values[2 * f + 1]);
        if (Number.isFinite(v)) shown.push(Math.abs(v));
    }
    if (!shown.length) return null;
    shown.sort((a, b) => a - b);
    if (mode === 'generation') return [0, Math.max(shown[shown.length - 1], 1)];
    const high = shown[Math.floor(0.98 * (shown.length - 1))];
    if (mode === 'size') {
        const low = shown[Math.floor(0.02 * (shown.length - 1))];
        const top = shown[shown.length - 1];
        return [Math.min(low, top / 4), top];
    }
    const least = mode === 'curvature' ? 1e-2 : 1e-3;
    const top = Math.max(high, least);
    return mode === 'velocity' ? [0, top] : [-top, top];
}
