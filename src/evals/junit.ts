import type { EvalFault } from './eval.ts';
import type { EvalResult } from './run-eval.ts';

/**
 * Builds a report in JUnit XML for build servers, with one suite per skill and one for invalid eval files.
 */
export function buildJunit(results: readonly EvalResult[], faults: readonly EvalFault[]): string {
  const suites = [...Map.groupBy(results, ({ eval: evaluation }) => evaluation.skill)].map(([skill, group]) =>
    suiteOf(skill, group.length, group.filter(({ ok }) => !ok).length, group.map(caseOf)),
  );
  const broken = faults.map(({ file, line, message }) =>
    testCase('files', `${file}:${line}`, 0, [`<failure message="${escaped(message)}"></failure>`]),
  );
  const files = broken.length === 0 ? [] : [suiteOf('files', broken.length, broken.length, broken)];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${[...suites, ...files].join('')}</testsuites>\n`;
}

function suiteOf(name: string, tests: number, failures: number, testCases: readonly string[]): string {
  const head = `name="${escaped(name)}" tests="${tests}" failures="${failures}"`;
  return `  <testsuite ${head}>\n${testCases.join('')}  </testsuite>\n`;
}

function caseOf({ eval: evaluation, milliseconds, mismatches }: EvalResult): string {
  const failures = mismatches.map(({ what, expected, got }) => {
    const message = `${what}: expected ${expected}, got ${got}`;
    return `<failure message="${escaped(message)}">${escaped(`${evaluation.file}:${evaluation.line}`)}</failure>`;
  });
  return testCase(evaluation.skill, evaluation.name, milliseconds, failures);
}

function testCase(suite: string, name: string, milliseconds: number, inside: readonly string[]): string {
  const head = `classname="${escaped(suite)}" name="${escaped(name)}" time="${milliseconds / 1000}"`;
  return `    <testcase ${head}>${inside.join('')}</testcase>\n`;
}

/** Escapes text for XML. Characters that XML cannot represent become question marks. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
