// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What is seen: surfaces, a floor that shows their shadows, a camera to move about them, and the
// face under the pointer.
import {
    BufferGeometry, Color, DataTexture, DepthTexture, Float32BufferAttribute, GLSL3, LinearFilter,
    LineBasicMaterial, LineLoop, Mesh, NearestFilter, OrbitControls, OrthographicCamera,
    PerspectiveCamera, PlaneGeometry, RGBAFormat, Scene, ShaderMaterial, UnsignedByteType,
    UnsignedIntType, Vector3, WebGLRenderer, WebGLRenderTarget,
} from './three.js';
import { fittingRange } from './face_values.js';
import { lighting, Surface } from './surface.js';

const FOV = 28;            // [degrees]
const SHADOW_SIZE = 1024;  // [texels]
const MARGIN = 1.08;
const SLOW = 55;           // [ms] between pictures

const backgrounds = { light: '#edeeef', dark: '#15181b' };

/** A closed path along the edges of what a camera sees, as numbers: from the eye to the plane of the target. */
export function frustumPath({ eye, target, up, fov, aspect }) {
    const from = new Vector3(...eye), depth = new Vector3(...target).sub(from);
    const across = depth.clone().cross(new Vector3(...up)).normalize();
    const upwards = across.clone().cross(depth).normalize();
    const height = depth.length() * Math.tan(fov / 2);
    const corner = (x, y) => from.clone().add(depth).addScaledVector(across, x * height * aspect).addScaledVector(upwards, y * height);
    const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    return corners.flatMap((c, i) => [from, c, corners[(i + 1) % 4]]).flatMap((p) => p.toArray());
}

export class Stage extends EventTarget {
    surfaces = new Map(); // by name
    hidden = new Set();   // names
    mode = 'fabric';
    range = [0, 1];
    #dirty = true;
    #lightCamera = new OrthographicCamera();
    #centre = new Vector3();
    #radius = 1;
    #floorHeight = null;
    #framed = false;
    #pace = 0; // mean time between pictures [ms]
    #rest = 0;
    #ellipse;
    #outline;
    #frustum;

    constructor(canvas, up) {
        super();
        this.canvas = canvas;
        this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.scene = new Scene();
        this.overlay = new Scene();
        this.up = new Vector3(...up);
        this.camera = new PerspectiveCamera(FOV, 1, 0.01, 100);
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.14;
        this.controls.addEventListener('change', () => this.redraw());
        this.controls.addEventListener('start', () => { this.followsCamera = false; this.dispatchEvent(new Event('camera')); });

        const depth = new DepthTexture(SHADOW_SIZE, SHADOW_SIZE, UnsignedIntType);
        depth.minFilter = depth.magFilter = NearestFilter;
        this.shadows = new WebGLRenderTarget(SHADOW_SIZE, SHADOW_SIZE, { depthTexture: depth });
        const table = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1, RGBAFormat, UnsignedByteType);
        this.shared = {
            shadowMap: { value: depth }, shadowTexel: { value: 1 / SHADOW_SIZE },
            hasShadows: { value: true }, lightMatrix: { value: this.#lightCamera.projectionMatrix.clone() },
            toKey: { value: new Vector3() }, up: { value: this.up }, table: { value: table },
            range: { value: [0, 1] }, larger: { value: false }, wireframe: { value: false },
            lineWidth: { value: 1.2 * this.renderer.getPixelRatio() },
            names: { value: Array.from({ length: 8 }, () => new Vector3()) },
        };
        this.#makeFloor();
        const line = (colour) => new LineLoop(new BufferGeometry(), new LineBasicMaterial({ color: colour, depthTest: false, transparent: true }));
        this.#ellipse = line('#ffffff');
        this.#outline = line('#ffffff');
        this.#frustum = line('#ffffff');
        for (const l of [this.#ellipse, this.#outline, this.#frustum]) { l.visible = false; l.frustumCulled = false; this.overlay.add(l); }

        new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
        this.resize();
        let last = 0;
        const loop = (now) => {
            requestAnimationFrame(loop);
            this.controls.update();
            if (this.#dirty) {
                this.#dirty = false;
                this.#watchSpeed(now - last);
                this.draw();
            }
            last = now;
        };
        requestAnimationFrame(loop);
    }

    redraw() { this.#dirty = true; }

    /** While pictures follow one another slowly, shadows are left out; they come back at rest. */
    #watchSpeed(interval) {
        clearTimeout(this.#rest);
        this.#pace = 0.8 * this.#pace + 0.2 * Math.min(interval, 200);
        if (this.#pace > SLOW) this.shared.hasShadows.value = false;
        if (!this.shared.hasShadows.value) {
            this.#rest = setTimeout(() => { this.#pace = 0; this.shared.hasShadows.value = true; this.redraw(); }, 400);
        }
    }

    resize() {
        const { clientWidth: w, clientHeight: h } = this.canvas.parentElement;
        if (!w || !h) return;
        this.renderer.setSize(w, h, false);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        this.redraw();
    }

    setTheme(theme) {
        this.theme = theme;
        this.renderer.setClearColor(new Color(backgrounds[theme]), 1);
        const ink = theme === 'dark' ? '#ffffff' : '#101418';
        this.#ellipse.material.color.set(ink);
        this.#outline.material.color.set(ink);
        this.#frustum.material.color.set(ink);
        this.redraw();
    }

    /** Takes the objects of a frame. */
    setObjects(objects, lookOf) {
        const names = new Set(objects.map((o) => o.name));
        for (const [name, surface] of this.surfaces) {
            if (names.has(name)) continue;
            this.scene.remove(surface.mesh);
            surface.dispose();
            this.surfaces.delete(name);
        }
        for (const object of objects) {
            let surface = this.surfaces.get(object.name);
            if (!surface) {
                surface = new Surface(this.shared);
                surface.setLooks(lookOf(object));
                this.surfaces.set(object.name, surface);
                this.scene.add(surface.mesh);
            }
            surface.set(object, this.mode);
            surface.mesh.visible = !this.hidden.has(object.name);
        }
        this.#measure();
        if (!this.#framed && objects.length) { this.#framed = true; this.frameAll(); }
        this.redraw();
    }

    setVisible(name, visible) {
        if (visible) this.hidden.delete(name); else this.hidden.add(name);
        const surface = this.surfaces.get(name);
        if (surface) surface.mesh.visible = visible;
        this.redraw();
    }

    setMode(mode, info) {
        this.mode = mode;
        this.shared.larger.value = mode === 'strain';
        if (info.colours) {
            const rows = info.colours.length, columns = info.colours[0].length / 6;
            const data = new Uint8Array(4 * rows * columns);
            info.colours.forEach((line, r) => {
                for (let c = 0; c < columns; c++) {
                    const n = parseInt(line.slice(6 * c, 6 * c + 6), 16);
                    data.set([n >> 16, (n >> 8) & 255, n & 255, 255], 4 * (r * columns + c));
                }
            });
            this.shared.table.value.dispose();
            const table = new DataTexture(data, columns, rows, RGBAFormat, UnsignedByteType);
            table.minFilter = table.magFilter = LinearFilter;
            table.needsUpdate = true;
            this.shared.table.value = table;
        }
        (info.categories ?? []).slice(0, 8).forEach((category, i) => {
            const n = parseInt(category.colour.slice(1), 16);
            this.shared.names.value[i].set((n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255);
        });
        for (const surface of this.surfaces.values()) surface.setMode(mode);
        this.redraw();
    }

    setRange(range) {
        this.range = range;
        this.shared.range.value = range;
        this.redraw();
    }

    /** A range for what is shown now, null where nothing has a value. */
    fittingRange() {
        let range = null;
        for (const surface of this.surfaces.values()) {
            if (!surface.object.isCloth) continue;
            const own = fittingRange(this.mode, surface.values, surface.faceCount);
            if (own) range = range ? [Math.min(range[0], own[0]), Math.max(range[1], own[1])] : own;
        }
        return range;
    }

    // --- camera -----------------------------------------------------------------------------------

    /** Box of what is to be seen: cloth, and of the rest what is not far larger than it. */
    #box(onlyCloth) {
        const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
        for (const [name, { object }] of this.surfaces) {
            if (this.hidden.has(name) || (onlyCloth && !object.isCloth)) continue;
            const x = object.positions;
            for (let i = 0; i < x.length; i += 3) {
                low.set(Math.min(low.x, x[i]), Math.min(low.y, x[i + 1]), Math.min(low.z, x[i + 2]));
                high.set(Math.max(high.x, x[i]), Math.max(high.y, x[i + 1]), Math.max(high.z, x[i + 2]));
            }
        }
        return { low, high, diagonal: low.distanceTo(high), isEmpty: low.x > high.x };
    }

    #measure() {
        const cloth = this.#box(true);
        const all = this.#box(false);
        const box = cloth.isEmpty ? all : cloth;
        if (box.isEmpty) return;
        this.#centre.addVectors(box.low, box.high).multiplyScalar(0.5);
        this.#radius = Math.max(0.5 * box.diagonal, 1e-6);
        // Things near the cloth count for light and floor; a floor of the scene's own does not.
        let radius = this.#radius, lowest = Infinity;
        for (const { object } of this.surfaces.values()) {
            const x = object.positions;
            for (let i = 0; i < x.length; i += 3) {
                const dx = x[i] - this.#centre.x, dy = x[i + 1] - this.#centre.y, dz = x[i + 2] - this.#centre.z;
                const d = Math.sqrt(dx * dx + dy * dy + dz * dz);
                if (d < 3 * this.#radius) radius = Math.max(radius, d);
                lowest = Math.min(lowest, dx * this.up.x + dy * this.up.y + dz * this.up.z);
            }
        }
        const height = lowest + this.#centre.dot(this.up) - 2e-3 * this.#radius;
        // The floor of the lowest point so far, so that it does not move up and down.
        this.#floorHeight = this.#floorHeight === null ? height : Math.min(this.#floorHeight, height);
        this.lightRadius = Math.min(radius, 2.2 * this.#radius);
    }

    /** Puts all that matters into view, from the side it is seen from now. */
    frameAll(towards = null) {
        const cloth = this.#box(true);
        const box = cloth.isEmpty ? this.#box(false) : cloth;
        if (box.isEmpty) return;
        this.followsCamera = false;
        const centre = new Vector3().addVectors(box.low, box.high).multiplyScalar(0.5);
        let side = towards ?? this.camera.position.clone().sub(this.controls.target);
        if (side.lengthSq() < 1e-12 || !this.wasFramed) side = this.#startSide();
        this.wasFramed = true;
        const half = Math.tan((FOV * Math.PI) / 360) * Math.min(1, this.camera.aspect);
        const radius = Math.max(0.5 * box.diagonal, 1e-4);
        this.camera.fov = FOV;
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(side.normalize(), (MARGIN * radius) / Math.sin(Math.atan(half)) * 0.86);
        this.#clip();
        this.redraw();
    }

    #startSide() {
        const axis = new Vector3(1, 0, 0);
        if (Math.abs(this.up.x) > 0.9) axis.set(0, 1, 0);
        const front = axis.clone().cross(this.up).normalize();
        return front.multiplyScalar(Math.cos(0.44)).addScaledVector(axis, Math.sin(0.44)).multiplyScalar(Math.cos(0.3)).addScaledVector(this.up, Math.sin(0.3));
    }

    #clip() {
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.near = Math.max(distance / 200, 1e-4);
        this.camera.far = distance * 40 + 40 * this.#radius;
        this.camera.updateProjectionMatrix();
        this.controls.update(); // turns the camera to its target
    }

    /** The scene's own camera. */
    setCamera({ eye, target, fov }) {
        this.camera.position.set(...eye);
        this.controls.target.set(...target);
        this.camera.fov = (fov * 180) / Math.PI;
        this.#clip();
        this.followsCamera = true;
        this.redraw();
    }

    /** The camera of the scene, drawn as a pyramid that ends at its target while the picture is from elsewhere. */
    setSceneView(view) {
        this.sceneView = view;
        this.#frustum.geometry.setAttribute('position', new Float32BufferAttribute(frustumPath(view), 3));
        this.redraw();
    }

    /** Turns about the target, for keys. [rad] */
    orbit(right, upwards) {
        const arm = this.camera.position.clone().sub(this.controls.target);
        arm.applyAxisAngle(this.up, right);
        const side = this.up.clone().cross(arm).normalize();
        const tilted = arm.clone().applyAxisAngle(side, -upwards);
        if (tilted.clone().normalize().cross(this.up).length() > 0.05) arm.copy(tilted);
        this.camera.position.copy(this.controls.target).add(arm);
        this.followsCamera = false;
        this.redraw();
    }

    zoom(factor) {
        const arm = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
        this.camera.position.copy(this.controls.target).add(arm);
        this.followsCamera = false;
        this.#clip();
        this.redraw();
    }

    // --- drawing ----------------------------------------------------------------------------------

    #makeFloor() {
        const material = new ShaderMaterial({
            glslVersion: GLSL3, depthWrite: false, transparent: true,
            uniforms: {
                ...this.shared, centre: { value: new Vector3() }, radius: { value: 1 },
            },
            vertexShader: /* glsl */ `
                out vec3 vPosition; out vec3 vLight; uniform mat4 lightMatrix;
                void main() {
                    vPosition = (modelMatrix * vec4(position, 1.0)).xyz;
                    vec4 light = lightMatrix * vec4(vPosition, 1.0);
                    vLight = light.xyz / light.w * 0.5 + 0.5;
                    gl_Position = projectionMatrix * viewMatrix * vec4(vPosition, 1.0);
                }`,
            fragmentShader: /* glsl */ `
                precision highp float;
                #define SHADOW_REACH 2
                ${lighting}
                in vec3 vPosition; in vec3 vLight; out vec4 colour;
                uniform vec3 centre; uniform float radius;
                void main() {
                    float shade = 1.0 - lit(vLight, 0.0015, 2.6);
                    vec3 d = vPosition - centre; d -= dot(d, up) * up;
                    float fade = 1.0 - smoothstep(1.4, 3.6, length(d) / radius);
                    colour = vec4(vec3(0.0), shade * fade * 0.26);
                }`,
        });
        this.floor = new Mesh(new PlaneGeometry(1, 1), material);
        this.floor.frustumCulled = false;
        this.floor.renderOrder = 1;
        this.scene.add(this.floor);
    }

    #placeLight() {
        // Fixed to the camera's side, so that what is looked at is always lit alike.
        const front = this.camera.position.clone().sub(this.controls.target);
        front.addScaledVector(this.up, -front.dot(this.up));
        if (front.lengthSq() < 1e-12) front.copy(this.#startSide());
        front.normalize();
        const right = this.up.clone().cross(front);
        const key = this.shared.toKey.value;
        key.copy(front).multiplyScalar(Math.cos(-0.75)).addScaledVector(right, Math.sin(-0.75)).multiplyScalar(Math.cos(0.85)).addScaledVector(this.up, Math.sin(0.85));
        const reach = (this.lightRadius ?? 1) * 1.05;
        const c = this.#lightCamera;
        c.left = c.bottom = -reach; c.right = c.top = reach;
        c.near = 0; c.far = 6 * reach;
        c.up.copy(this.up);
        c.position.copy(this.#centre).addScaledVector(key, 3 * reach);
        c.lookAt(this.#centre);
        c.updateProjectionMatrix();
        c.updateMatrixWorld();
        this.shared.lightMatrix.value.copy(c.projectionMatrix).multiply(c.matrixWorldInverse);
    }

    #placeFloor() {
        const f = this.floor;
        f.visible = this.#floorHeight !== null && this.camera.position.dot(this.up) > this.#floorHeight;
        if (!f.visible) return;
        f.position.copy(this.#centre).addScaledVector(this.up, this.#floorHeight - this.#centre.dot(this.up));
        f.scale.setScalar(8 * this.#radius);
        f.up.copy(Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, 1, 0));
        f.lookAt(f.position.clone().add(this.up));
        f.updateMatrixWorld();
        f.material.uniforms.centre.value.copy(this.#centre);
        f.material.uniforms.radius.value = this.#radius;
    }

    draw() {
        this.#placeLight();
        this.#placeFloor();
        const r = this.renderer;
        r.autoClear = true;
        if (this.shared.hasShadows.value) {
            const floor = this.floor.visible;
            this.floor.visible = false;
            for (const s of this.surfaces.values()) s.mesh.material = s.depthMaterial;
            r.setRenderTarget(this.shadows);
            r.clear();
            r.render(this.scene, this.#lightCamera);
            r.setRenderTarget(null);
            for (const s of this.surfaces.values()) s.mesh.material = s.material;
            this.floor.visible = floor;
        } else this.floor.visible = false;
        r.render(this.scene, this.camera);
        this.#frustum.visible = this.sceneView !== undefined && !this.followsCamera;
        if (this.#ellipse.visible || this.#outline.visible || this.#frustum.visible) {
            r.autoClear = false;
            r.render(this.overlay, this.camera);
        }
    }

    /** The picture as a PNG. */
    picture() {
        this.shared.hasShadows.value = true;
        this.draw();
        return new Promise((resolve) => this.canvas.toBlob(resolve, 'image/png'));
    }

    // --- faces under the pointer --------------------------------------------------------------------

    /** The nearest cloth face under a place of the page, or null. */
    pick(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect();
        const x = ((clientX - box.left) / box.width) * 2 - 1, y = 1 - ((clientY - box.top) / box.height) * 2;
        this.camera.updateMatrixWorld();
        const o = this.camera.position, d = new Vector3(x, y, 0.5).unproject(this.camera).sub(o).normalize();
        let best = null, nearest = Infinity;
        for (const [name, surface] of this.surfaces) {
            if (this.hidden.has(name)) continue;
            const { positions: p, faces, isCloth } = surface.object;
            for (let t = 0; t < faces.length; t += 3) {
                const a = 3 * faces[t], b = 3 * faces[t + 1], c = 3 * faces[t + 2];
                const e1x = p[b] - p[a], e1y = p[b + 1] - p[a + 1], e1z = p[b + 2] - p[a + 2];
                const e2x = p[c] - p[a], e2y = p[c + 1] - p[a + 1], e2z = p[c + 2] - p[a + 2];
                const hx = d.y * e2z - d.z * e2y, hy = d.z * e2x - d.x * e2z, hz = d.x * e2y - d.y * e2x;
                const det = e1x * hx + e1y * hy + e1z * hz;
                if (Math.abs(det) < 1e-20) continue;
                const sx = o.x - p[a], sy = o.y - p[a + 1], sz = o.z - p[a + 2];
                const u = (sx * hx + sy * hy + sz * hz) / det;
                if (u < 0 || u > 1) continue;
                const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
                const v = (d.x * qx + d.y * qy + d.z * qz) / det;
                if (v < 0 || u + v > 1) continue;
                const distance = (e2x * qx + e2y * qy + e2z * qz) / det;
                if (distance > 1e-9 && distance < nearest) {
                    nearest = distance;
                    best = isCloth ? { name, face: t / 3, surface } : null;
                }
            }
        }
        return best;
    }

    /** Draws a face's edges, and an ellipse of world points where there is one. */
    mark(face, ellipse) {
        const put = (line, points) => {
            line.visible = points !== null;
            if (points) line.geometry.setAttribute('position', new Float32BufferAttribute(points, 3));
        };
        let outline = null;
        if (face) {
            const { positions: p, faces } = face.surface.object;
            outline = [0, 1, 2].flatMap((k) => {
                const n = 3 * faces[3 * face.face + k];
                return [p[n], p[n + 1], p[n + 2]];
            });
        }
        put(this.#outline, outline);
        put(this.#ellipse, ellipse);
        this.redraw();
    }
}
