// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// What the viewer uses of three.js. viewer/vendor/build makes three.js in this folder from it.
export {
    BufferGeometry, Color, DataTexture, DepthTexture, DoubleSide, Float32BufferAttribute, FloatType,
    GLSL3, Group, LineBasicMaterial, LineLoop, Mesh, NearestFilter, OrthographicCamera,
    PerspectiveCamera, PlaneGeometry, RedIntegerFormat, REVISION, RGBAFormat, RGFormat, Scene,
    ShaderMaterial, UnsignedByteType, UnsignedIntType, Vector2, Vector3, WebGLRenderer,
    WebGLRenderTarget, LinearFilter,
} from 'three';
export { OrbitControls } from 'three/addons/controls/OrbitControls.js';
