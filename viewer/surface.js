// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// One object on the graphics card. Nodes, faces and face values lie in textures, and the vertex
// shader fetches what corner gl_VertexID needs: a frame is sent as it came, faces can have colours
// of their own although they share nodes, and edges can be drawn without another mesh.
import {
    BufferGeometry, DataTexture, DoubleSide, FloatType, GLSL3, Mesh, NearestFilter, RedIntegerFormat,
    RGBAFormat, RGFormat, ShaderMaterial, UnsignedIntType, Vector3,
} from './three.js';
import { fillFaceValues, nodeNormals } from './face_values.js';

const WIDTH = 1024; // of the textures [texels]
const MOST_FABRICS = 8;

const fetchCorner = /* glsl */ `
    precision highp float;
    precision highp int;
    precision highp usampler2D;
    uniform highp sampler2D nodes;
    uniform usampler2D faces;
    ivec2 place(int i) { return ivec2(i % ${WIDTH}, i / ${WIDTH}); }
    int nodeOf(int corner) { return int(texelFetch(faces, place(corner), 0).r); }
`;

export const vertexShader = /* glsl */ `
    ${fetchCorner}
    uniform highp sampler2D normals;
    uniform highp sampler2D values;
    uniform highp sampler2D points;
    uniform usampler2D pointFaces;
    uniform bool hasPoints;
    uniform mat4 lightMatrix;
    out vec3 vPosition;
    out vec3 vNormal;
    out vec3 vLight;
    out vec2 vPoint;
    out vec3 vCorner;
    flat out vec2 vValue;
    void main() {
        int node = nodeOf(gl_VertexID);
        vPosition = texelFetch(nodes, place(node), 0).xyz;
        vNormal = texelFetch(normals, place(node), 0).xyz;
        vValue = texelFetch(values, place(gl_VertexID / 3), 0).rg;
        int k = gl_VertexID % 3;
        vCorner = vec3(k == 0, k == 1, k == 2);
        vPoint = hasPoints
            ? texelFetch(points, place(int(texelFetch(pointFaces, place(gl_VertexID), 0).r)), 0).rg
            : vec2(0.0);
        vec4 light = lightMatrix * vec4(vPosition, 1.0);
        vLight = light.xyz / light.w * 0.5 + 0.5;
        gl_Position = projectionMatrix * viewMatrix * vec4(vPosition, 1.0);
    }
`;

export const depthShader = /* glsl */ `
    ${fetchCorner}
    void main() {
        vec3 x = texelFetch(nodes, place(nodeOf(gl_VertexID)), 0).xyz;
        gl_Position = projectionMatrix * viewMatrix * vec4(x, 1.0);
    }
`;

/** Light and shadow, shared with the floor. */
export const lighting = /* glsl */ `
    uniform highp sampler2D shadowMap;
    uniform float shadowTexel;
    uniform bool hasShadows;
    uniform vec3 toKey;
    uniform vec3 up;
    float lit(vec3 place, float slack, float spread) {
        if (!hasShadows || any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)))) return 1.0;
        float sum = 0.0;
        for (int i = -SHADOW_REACH; i <= SHADOW_REACH; i++)
            for (int j = -SHADOW_REACH; j <= SHADOW_REACH; j++) {
                vec2 at = place.xy + spread * shadowTexel * vec2(float(i), float(j));
                sum += place.z - slack <= texture(shadowMap, at).r ? 1.0 : 0.0;
            }
        return sum / float((2 * SHADOW_REACH + 1) * (2 * SHADOW_REACH + 1));
    }
    vec3 toDisplay(vec3 c) {
        c = clamp(c, 0.0, 1.0);
        return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
    }
    vec3 toLinear(vec3 c) {
        return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
    }
`;

const fragmentShader = /* glsl */ `
    precision highp float;
    #define SHADOW_REACH 1
    ${lighting}
    in vec3 vPosition;
    in vec3 vNormal;
    in vec3 vLight;
    in vec2 vPoint;
    in vec3 vCorner;
    flat in vec2 vValue;
    out vec4 colour;

    uniform int mode;             // 0 fabric, 1 amounts, 2 size, 3 names, 4 matte
    uniform bool larger;          // of the two values, the one of larger magnitude
    uniform sampler2D table;      // the mode's colours
    uniform vec2 range;
    uniform vec3 names[${MOST_FABRICS}];
    uniform vec3 fronts[${MOST_FABRICS}];
    uniform vec3 backs[${MOST_FABRICS}];
    uniform vec3 seconds[${MOST_FABRICS}];
    uniform vec3 secondBacks[${MOST_FABRICS}];
    uniform vec4 looks[${MOST_FABRICS}];    // pattern, repeat, sheen
    uniform bool isCloth;
    uniform bool wireframe;
    uniform float lineWidth;      // [pixels]

    float whole(float x) { return abs(x - floor(x + 0.5)); }
    float share(vec4 look) {      // of a pattern's second colour
        vec2 p = vPoint / look.y;
        float blur = max(length(fwidth(p)), 1e-4);
        float s = 0.0, mean = 0.0;
        if (look.x < 0.5) return 0.0;
        if (look.x < 1.5) {
            float row = floor(p.y + 0.5);
            vec2 d = vec2(whole(p.x - (mod(row, 2.0) > 0.5 ? 0.5 : 0.0)), p.y - row);
            s = 1.0 - smoothstep(0.23 - blur, 0.23 + blur, length(d));
            mean = 0.17;
        } else if (look.x < 2.5) {
            s = 1.0 - smoothstep(0.15 - blur, 0.15 + blur, whole(p.x));
            mean = 0.3;
        } else {
            float t = look.x < 3.5 ? p.x : p.x + p.y;
            s = 0.5 + 0.5 * cos(6.2831853 * t);
            mean = 0.5;
        }
        return mix(s, mean, smoothstep(0.3, 0.7, blur)); // too fine to be seen
    }

    void main() {
        bool front = gl_FrontFacing || !isCloth;
        vec3 base;
        float sheen = 0.16;
        if (mode == 0) {
            int i = clamp(int(vValue.x + 0.5), 0, ${MOST_FABRICS - 1});
            sheen = looks[i].z;
            base = mix(front ? fronts[i] : backs[i], front ? seconds[i] : secondBacks[i], share(looks[i]));
        } else if (mode == 4) {
            base = fronts[0];
        } else {
            float v = larger && abs(vValue.y) > abs(vValue.x) ? vValue.y : vValue.x;
            if (!(v == v) || isinf(v)) base = vec3(0.72, 0.74, 0.77);
            else if (mode == 3) base = names[clamp(int(v + 0.5), 0, ${MOST_FABRICS - 1})];
            else {
                float t = mode == 2
                    ? (log(v) - log(range.x)) / max(1e-6, log(range.y) - log(range.x))
                    : (v - range.x) / max(1e-12, range.y - range.x);
                base = texture(table, vec2(clamp(t, 0.0, 1.0), mode == 2 ? vValue.y : 0.5)).rgb;
            }
            if (!front) base = mix(vec3(dot(base, vec3(0.3, 0.59, 0.11))), base, 0.65) * 0.88;
        }
        vec3 albedo = toLinear(base);
        vec3 toEye = normalize(cameraPosition - vPosition);
        vec3 n = normalize(isCloth ? vNormal : cross(dFdx(vPosition), dFdy(vPosition)));
        if (isCloth) n = gl_FrontFacing ? n : -n;
        else {
            // Smooth where the face and its corner normals agree, sharp at creases.
            vec3 smoothed = normalize(vNormal);
            if (dot(n, toEye) < 0.0) n = -n;
            if (dot(smoothed, toEye) < 0.0) smoothed = -smoothed;
            n = dot(n, smoothed) > 0.85 ? smoothed : n;
        }
        float facing = max(0.0, dot(n, toKey));
        float key = facing * lit(vLight, 0.0012 + 0.006 * (1.0 - facing), 1.5);
        float sky = 0.5 + 0.5 * dot(n, up);
        float grazing = 1.0 - clamp(dot(n, toEye), 0.0, 1.0);
        vec3 light = vec3(0.78, 0.765, 0.74) * key + mix(vec3(0.20, 0.20, 0.205), vec3(0.36, 0.37, 0.39), sky);
        light += 0.10 * max(0.0, dot(n, toEye));
        vec3 seen = albedo * light;
        if (isCloth) seen += sheen * grazing * grazing * grazing * mix(albedo, vec3(1.0), 0.5) * light;
        if (wireframe) {
            vec3 reach = vCorner / max(fwidth(vCorner), 1e-6);
            float near = min(reach.x, min(reach.y, reach.z));
            float line = 1.0 - smoothstep(0.5 * lineWidth - 0.5, 0.5 * lineWidth + 0.5, near);
            // Faces too slender for lines of their own get paler ones.
            float slender = max(fwidth(vCorner).x, max(fwidth(vCorner).y, fwidth(vCorner).z));
            seen *= 1.0 - 0.82 * line * (1.0 - 0.8 * smoothstep(0.12, 0.6, slender));
        }
        colour = vec4(toDisplay(seen), 1.0);
    }
`;

/** A texture whose array grows with what is put into it and is never made smaller. */
class ArrayTexture {
    constructor(format, type, channels, Type) {
        Object.assign(this, { format, type, channels, Type, rows: 0, texture: null });
    }
    /** Room for so many texels; true where the texture is a new one. */
    reserve(count) {
        const rows = Math.max(1, Math.ceil(count / WIDTH));
        if (this.texture && rows <= this.rows) return false;
        this.texture?.dispose();
        this.rows = Math.ceil(rows * 1.25);
        this.data = new this.Type(WIDTH * this.rows * this.channels);
        this.texture = new DataTexture(this.data, WIDTH, this.rows, this.format, this.type);
        this.texture.minFilter = this.texture.magFilter = NearestFilter;
        this.texture.generateMipmaps = false;
        this.texture.unpackAlignment = 4;
        if (this.format === RedIntegerFormat) this.texture.internalFormat = 'R32UI';
        return true;
    }
    changed() { this.texture.needsUpdate = true; }
    dispose() { this.texture?.dispose(); }
}

const floats = (format, channels) => new ArrayTexture(format, FloatType, channels, Float32Array);
const indices = () => new ArrayTexture(RedIntegerFormat, UnsignedIntType, 1, Uint32Array);

export class Surface {
    #nodes = floats(RGBAFormat, 4);
    #normals = floats(RGBAFormat, 4);
    #values = floats(RGFormat, 2);
    #points = floats(RGFormat, 2);
    #faces = indices();
    #pointFaces = indices();
    #normalArray = new Float32Array(0);
    #lastFaces = null;

    constructor(shared) {
        const vectors = () => Array.from({ length: MOST_FABRICS }, () => new Vector3());
        this.uniforms = {
            ...shared, // light, shadows, table, wireframe: one object for all surfaces
            nodes: { value: null }, normals: { value: null }, faces: { value: null },
            values: { value: null }, points: { value: null }, pointFaces: { value: null },
            hasPoints: { value: false }, isCloth: { value: true }, mode: { value: 0 },
            fronts: { value: vectors() }, backs: { value: vectors() },
            seconds: { value: vectors() }, secondBacks: { value: vectors() },
            looks: { value: new Float32Array(4 * MOST_FABRICS).map((_, i) => [0, 0.02, 0.16, 0][i % 4]) },
        };
        const options = { glslVersion: GLSL3, side: DoubleSide, uniforms: this.uniforms };
        this.material = new ShaderMaterial({ ...options, vertexShader, fragmentShader });
        this.depthMaterial = new ShaderMaterial({
            ...options, vertexShader: depthShader, colorWrite: false,
            fragmentShader: 'precision highp float; out vec4 c; void main() { c = vec4(1.0); }',
        });
        this.geometry = new BufferGeometry();
        this.mesh = new Mesh(this.geometry, this.material);
        this.mesh.frustumCulled = false;
    }

    get faceCount() { return this.object ? this.object.faces.length / 3 : 0; }
    get normals() { return this.#normalArray; }
    get values() { return this.#values.data; }

    /** Takes the arrays of a frame. */
    set(object, mode) {
        if (object === this.object) return this.setMode(mode);
        this.object = object;
        const nodes = object.positions.length / 3, faces = object.faces.length / 3;
        this.#nodes.reserve(nodes);
        this.#normals.reserve(nodes);
        if (this.#normalArray.length < object.positions.length) {
            this.#normalArray = new Float32Array(Math.ceil(1.25 * object.positions.length));
        }
        nodeNormals(object, this.#normalArray);
        const { positions } = object;
        for (let i = 0, p = 0, q = 0; i < nodes; i++, p += 3, q += 4) {
            this.#nodes.data[q] = positions[p];
            this.#nodes.data[q + 1] = positions[p + 1];
            this.#nodes.data[q + 2] = positions[p + 2];
            this.#normals.data[q] = this.#normalArray[p];
            this.#normals.data[q + 1] = this.#normalArray[p + 1];
            this.#normals.data[q + 2] = this.#normalArray[p + 2];
        }
        this.#nodes.changed();
        this.#normals.changed();
        this.#setTopology(object, faces);
        this.setMode(mode);
    }

    /** Faces and material points are sent anew only where they differ from the last ones. */
    #setTopology(object, faces) {
        const old = this.#lastFaces;
        const same = (a, b) => a === b || (a && a.length === b.length && a.every((v, i) => v === b[i]));
        if (old && same(old.faces, object.faces) && same(old.points, object.points)) return;
        this.#lastFaces = object;
        this.geometry.setDrawRange(0, 3 * faces);
        this.#faces.reserve(3 * faces);
        this.#faces.data.set(object.faces);
        this.#faces.changed();
        this.#points.reserve(object.points.length / 2);
        this.#points.data.set(object.points);
        this.#points.changed();
        if (object.pointFaces !== object.faces) {
            this.#pointFaces.reserve(3 * faces);
            this.#pointFaces.data.set(object.pointFaces);
            this.#pointFaces.changed();
        }
        const u = this.uniforms;
        u.hasPoints.value = object.points.length > 0;
        u.isCloth.value = object.isCloth;
        u.faces.value = this.#faces.texture;
        u.points.value = this.#points.texture;
        u.pointFaces.value =
            object.pointFaces !== object.faces ? this.#pointFaces.texture : this.#faces.texture;
    }

    /** Colours by another quantity. */
    setMode(mode) {
        const kinds = { fabric: 0, size: 2, material: 3, driver: 3 };
        this.uniforms.mode.value = this.object.isCloth ? kinds[mode] ?? 1 : 4;
        this.#values.reserve(this.faceCount);
        if (this.object.isCloth) fillFaceValues(mode, this.object, this.#normalArray, this.#values.data);
        this.#values.changed();
        this.uniforms.nodes.value = this.#nodes.texture;
        this.uniforms.normals.value = this.#normals.texture;
        this.uniforms.values.value = this.#values.texture;
    }

    setLooks(looks) {
        const patterns = ['plain', 'dots', 'stripes', 'ribs', 'twill'];
        const put = (vector, hex) => {
            const n = parseInt(hex.slice(1), 16);
            vector.set((n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255);
        };
        looks.slice(0, MOST_FABRICS).forEach((look, i) => {
            put(this.uniforms.fronts.value[i], look.colour);
            put(this.uniforms.backs.value[i], look.back ?? look.colour);
            put(this.uniforms.seconds.value[i], look.second ?? look.colour);
            put(this.uniforms.secondBacks.value[i], look.secondBack ?? look.back ?? look.colour);
            this.uniforms.looks.value.set(
                [patterns.indexOf(look.pattern ?? 'plain'), look.repeat ?? 0.02, look.sheen ?? 0.16, 0], 4 * i);
        });
    }

    dispose() {
        for (const t of [this.#nodes, this.#normals, this.#values, this.#points, this.#faces, this.#pointFaces]) t.dispose();
        this.material.dispose();
        this.depthMaterial.dispose();
        this.geometry.dispose();
    }
}
