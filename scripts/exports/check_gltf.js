// SPDX-License-Identifier: Apache-2.0
// Copyright the Pleat authors
//
// Validates .glb files with the validator of Khronos: no error, no warning.
const fs = require('fs');
const validator = require('gltf-validator');

(async () => {
    let bad = 0;
    for (const file of process.argv.slice(2)) {
        const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
        if (report.issues.numErrors + report.issues.numWarnings > 0) {
            ++bad;
            console.error(file, JSON.stringify(report.issues.messages.slice(0, 5), null, 1));
        }
    }
    console.log(`check: ${process.argv.length - 2} .glb files valid, but for ${bad}`);
    process.exit(bad > 0 ? 1 : 0);
})();
