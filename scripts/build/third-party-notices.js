// Collects the licences of the packages whose code is bundled into dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the notices for all packages in the esbuild results. Throws if a package has no licence file. */
export function writeNotices(root, target, results) {
  const folders = new Set(
    results.flatMap(({ metafile }) => Object.keys(metafile.inputs)).flatMap(packageFolder),
  );
  const notices = [...folders].sort().map((folder) => noticeOf(root, folder));
  const head = 'skilled contains code of the packages below, under their own licences.\n';
  writeFileSync(target, [head, ...new Set(notices)].join(`\n${'-'.repeat(80)}\n\n`));
}

// node_modules/a/node_modules/@b/c/x.js belongs to node_modules/a/node_modules/@b/c
function packageFolder(input) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
  return found ? [found[0]] : [];
}

function noticeOf(root, folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(root, folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(path.join(root, folder)).filter((file) =>
    /^(?:licen[cs]e|notice|copying)/i.test(file),
  );
  if (!license && files.length === 0) throw new Error(`${name} has no licence, so it cannot be bundled.`);
  const texts = files.map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim());
  return `${[`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n')}\n`;
}
