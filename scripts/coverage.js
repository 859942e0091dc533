// Combines the V8 coverage of all processes of a test run for each line of src:
//
//   NODE_V8_COVERAGE=/tmp/coverage npm test
//   node scripts/coverage.js /tmp/coverage [--json coverage.json]
//
// Only lines that contain code are considered. A line is covered if any process ran any part of it, either in
// the sources or in the built package, whose source maps refer to the sources.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = path.join(import.meta.dirname, '..');
const isOurs = /\/(src|dist)\/(.+\.(?:ts|js))$/;

const [folder, option, target] = process.argv.slice(2);
const covered = new Map(); // maps source files to sets of line indexes, from 0
const scripts = new Map();
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

for (const report of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  for (const script of readReport(path.join(folder, report))) addScript(script);
}
printTable(target && option === '--json' ? target : undefined);

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).result;
  } catch {
    console.error(`skilled: ${file} is not whole; its process was killed.`);
    return [];
  }
}

function addScript({ url, functions }) {
  const [, kind, name] = isOurs.exec(url) ?? [];
  if (!url.startsWith('file:') || name === undefined || url.includes('/node_modules/') !== (kind === 'dist'))
    return;
  const found = readScript(fileURLToPath(url.replace(/\?.*$/, '')), kind, name);
  if (found === undefined) return;
  const ran = paint(functions, found.length);
  for (const { offset, end, file, line } of found.pieces) {
    if (ran.indexOf(1, offset) >= end || ran.indexOf(1, offset) < 0) continue;
    if (!covered.has(file)) covered.set(file, new Set());
    covered.get(file).add(line);
  }
}

// V8's ranges are nested. An inner range overrides the outer range.
function paint(functions, length) {
  const ran = new Uint8Array(length);
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
}

/** Returns the segments of a script, each with the line of src to which it belongs. */
function readScript(file, kind, name) {
  if (!scripts.has(file)) scripts.set(file, load());
  return scripts.get(file);

  function load() {
    if (!existsSync(file)) return undefined;
    const code = readFileSync(file, 'utf8');
    const starts = lineStarts(code);
    if (kind === 'src') {
      const pieces = starts.map((offset, line) => ({
        offset,
        end: starts[line + 1] ?? code.length,
        file: name,
        line,
      }));
      return { length: code.length, pieces };
    }
    if (!existsSync(`${file}.map`)) return undefined;
    const map = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
    const names = map.sources.map((source) => /(?:^|\/)src\/(.+\.ts)$/.exec(source)?.[1]);
    const mapped = decode(map.mappings).map(({ line, column, source, sourceLine }) => ({
      offset: (starts[line] ?? 0) + column,
      file: names[source],
      line: sourceLine,
    }));
    const pieces = mapped.map((piece, index) => ({
      ...piece,
      end: mapped[index + 1]?.offset ?? code.length,
    }));
    return { length: code.length, pieces: pieces.filter((piece) => piece.file !== undefined) };
  }
}

function lineStarts(code) {
  return [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** Decodes a source map's mappings: each segment's start in the code, its source and the line there. */
function decode(mappings) {
  const decoded = [];
  let source = 0;
  let sourceLine = 0;
  for (const [line, text] of mappings.split(';').entries()) {
    let column = 0;
    for (const segment of text.split(',')) {
      const [step, ofSource, ofLine] = numbersIn(segment);
      if (step === undefined) continue;
      column += step;
      if (ofSource === undefined) continue;
      source += ofSource;
      sourceLine += ofLine;
      decoded.push({ line, column, source, sourceLine });
    }
  }
  return decoded;
}

function numbersIn(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const char of segment) {
    const digit = digits.indexOf(char);
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function printTable(jsonFile) {
  const folders = new Map();
  const all = { lines: 0, covered: 0 };
  const files = {};
  const isCode = (file) => !/\.(?:test|test-d|stress|fuzz)\.ts$|\/fixtures\//.test(file);
  for (const file of globSync('**/*.ts', { cwd: path.join(root, 'src') })
    .filter(isCode)
    .sort()) {
    const code = readFileSync(path.join(root, 'src', file), 'utf8');
    const { map } = transformSync(code, { loader: 'ts', sourcemap: true, target: 'node24' });
    const lines = new Set(decode(JSON.parse(map).mappings).map(({ sourceLine }) => sourceLine));
    const hit = [...lines].filter((line) => covered.get(file)?.has(line)).length;
    const name = file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
    const sums = folders.get(name) ?? folders.set(name, { lines: 0, covered: 0 }).get(name);
    for (const sum of [sums, all]) {
      sum.lines += lines.size;
      sum.covered += hit;
    }
    files[file] = {
      lines: lines.size,
      missed: [...lines].filter((line) => !covered.get(file)?.has(line)).map((line) => line + 1),
    };
  }
  for (const [name, sums] of folders) console.log(`${percent(sums)}  ${name}`);
  console.log(`${percent(all)}  all (${all.covered} of ${all.lines} lines)`);
  if (jsonFile) writeFileSync(jsonFile, JSON.stringify(files));
}

function percent({ lines, covered: hit }) {
  return `${((100 * hit) / Math.max(1, lines)).toFixed(2).padStart(6)} %`;
}
