// Writes the files that are generated from code, such as schemas/settings.json and docs/reference. `npm run
// docs` runs this script.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileBuilders } from './reference/file-builders.ts';
import { root } from './reference/read-source.ts';

for (const [file, build] of Object.entries(fileBuilders)) {
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(root, file), await build());
}
