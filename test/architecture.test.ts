// Own process: keeps the syntax trees of all sources in memory.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { checkArchitecture, printViolations, rules, type Violation } from './architecture/check.ts';
import { injections } from './architecture/injections.ts';
import { findClocks } from './architecture/rules/clocks.ts';
import { sample, type Files } from './architecture/sample.ts';
import { readSources, sourcesOf } from './architecture/source.ts';

const src = readSources(path.join(import.meta.dirname, '..', 'src'));
const found = checkArchitecture(src);

test('the source keeps every rule of the architecture', () => {
  assert.equal(found.length, 0, `${found.length} violations:\n${printViolations(found)}`);
});

test('no helper of tests measures how long something takes', () => {
  const found = findClocks(readSources(import.meta.dirname));
  assert.deepEqual(found, []);
});

describe('the architecture test bites', () => {
  test('a tree that keeps every rule has no violations', () => {
    assert.equal(printViolations(checkSample({})), '');
  });

  for (const { rule, symptom, files } of injections) {
    test(`${rule}: ${symptom}`, () => {
      const violations = checkSample(files, { padded: rule !== 'dust' });
      assert.deepEqual([...new Set(violations.map((violation) => violation.rule))], [rule]);
      const changed = violations.filter(({ file }) => Object.hasOwn(files, file));
      assert.equal(changed.length, violations.length, printViolations(violations));
    });
  }

  test('every rule has an injection that it catches', () => {
    const caught = new Set(injections.map(({ rule }) => rule));
    assert.deepEqual(
      rules.map(({ name }) => name).filter((name) => !caught.has(name)),
      [],
    );
  });

  test('it names the line', () => {
    const violations = checkSample({ 'core/bad.ts': "\n\nimport '../skills/registry.ts';\n" });
    assert.equal(
      printViolations(violations),
      'src/core/bad.ts:3 [layers] core may not import skills (allowed: nothing).',
    );
  });

  test('it catches the same between the files of the real source', () => {
    const before = found.map((violation) => violation.rule);
    const injected = sourcesOf({
      'core/policy/injected.ts':
        "import type { families } from '../../families/index.ts';\nlet x: typeof families;\n",
      'skills/injected.ts': "if (String(1) === 'code-skill') void 0;\n",
      'skills/ring-a.ts': pad("/** A. */\nexport type RingA = import('./ring-b.ts').RingB | 1;\n"),
      'skills/ring-b.ts': pad("/** B. */\nexport type RingB = import('./ring-a.ts').RingA | 2;\n"),
    });
    const after = checkArchitecture([...src, ...injected]).map((violation) => violation.rule);
    assert.deepEqual(after.sort(), [...before, 'layers', 'cycles', 'family-words'].sort());
  });
});

// Padding keeps the sample files above the minimum size, so that only the injected violation remains.
function checkSample(changes: Files, { padded = true } = {}): Violation[] {
  const added = padded ? padAll(changes) : changes;
  return checkArchitecture(sourcesOf({ ...padAll(sample), ...added }));
}

function padAll(files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, pad(text)]));
}

function pad(text: string): string {
  return `${text}${'// a line\n'.repeat(100)}`;
}
