import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { leaveHome } from '../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { readEvals } from './find-evals.ts';
import type { EvalResult } from './run-eval.ts';
import { runEvals } from './run-eval.ts';
import type { EvalContext } from './eval.ts';

leaveHome();

const schema = '```json\n{ "type": "object" }\n```\n';
const code = `# Count\n\n## Description\n\nCounts.\n\n## Input Format\n\n${schema}\n## Output Format\n\n${schema}`;
const table = `# Jobs\n\n## Table Purpose\n\nWhat is to be done.\n\n## Fields\n\n### title\n\nIn words.\n\n#### Type\n\ntext\n\n#### Primary Key\n`;

function project(): Tree {
  return tree({
    '.git/HEAD': '',
    'skills/alpha/SKILL.md': skillText('alpha'),
    'skills/alpha/tests/plain/notes.txt': 'from the folder',
    'skills/count/cskill.md': code,
    'skills/count/src/index.js': 'export const action = () => ({ count: 1 });\n',
    'skills/jobs/tskill.md': table,
  });
}

async function run(
  files: Tree,
  skill: string,
  text: string,
  { bail = false, ...more }: Partial<EvalContext> & { readonly bail?: boolean } = {},
): Promise<readonly EvalResult[]> {
  const file = files.write(`skills/${skill}/tests/cases.yaml`, text);
  const { evals, faults } = readEvals(file, { skill, dir: files.at('skills', skill) });
  assert.deepEqual(faults, []);
  const reported: EvalResult[] = [];
  const context = {
    folder: files.path,
    roots: { startDir: files.path, searchUpwards: false },
    settings: {},
    signal: new AbortController().signal,
    ...more,
  };
  const results = await runEvals(evals, context, {
    lanes: bail ? 1 : 4,
    bail,
    onResult: (result) => void reported.push(result),
  });
  assert.deepEqual(reported, results);
  return results;
}

/** Returns the short faults of each test. Empty for one that passed. */
function faultsOf(results: readonly EvalResult[]): Record<string, string> {
  const short = ({ mismatches }: EvalResult): string =>
    mismatches.map(({ what, expected, got }) => `${what}: ${expected} / ${got}`).join('; ');
  return Object.fromEntries(results.map((result) => [result.eval.name, short(result)]));
}

const writes = '{ calls: [{ name: write, input: { file_path: out.txt, content: hi } }] }';

describe('cases that run', { concurrency: true }, () => {
  test('a skill is given a model, files, leave and answers, and held against everything', async () => {
    using files = project();
    const before = readdirSync(files.path, { recursive: true }).length;
    const results = await run(
      files,
      'alpha',
      `- { name: says, prompt: hello, model: { script: [Hi.] }, expect: { text: Hi., calls: { exactly: [] } } }
- { name: wrong text, prompt: hello, model: { script: ["one\\ntwo"] }, expect: { text: "one\\n2" } }
- name: writes
  prompt: hello
  approve: [Write(out.txt)]
  model: { script: [${writes}, Done.] }
  expect: { calls: [write], maxCalls: 1, files: { out.txt: { contains: h }, gone.txt: null } }
- { name: not allowed, prompt: hello, model: { script: [${writes}, Done.] } }
- { name: only waits, prompt: hello, model: { script: [${writes}] }, expect: { status: waiting } }
- { name: other leave, prompt: hello, approve: [Write(b.txt)], model: { script: [${writes}, Done.] }, expect: { status: waiting } }
- { name: denied, prompt: hello, approve: none, model: { script: [${writes}, No.] }, expect: { calls: { exactly: [] }, files: { out.txt: null } } }
- name: asks
  prompt: hello
  answers: [blue, red]
  model: { script: [{ calls: [{ name: ask-user, input: { question: Which? } }] }, Done.] }
- name: copies
  prompt: hello
  workspace: plain
  files: { sub/more.txt: more }
  expect: { files: { notes.txt: from the folder, sub/more.txt: other } }
  model: { script: [{ json: { a: 1 } }] }
- { name: no model, prompt: hello }
- { name: no recording, prompt: hello, model: { recording: none.jsonl } }
`,
    );
    const faults = faultsOf(results);
    assert.deepEqual(faults, {
      says: '',
      'wrong text': 'text: line 2: "2" / line 2: "two"',
      writes: '',
      'not allowed': 'status: done / waiting: "alpha" wants to call "write": It writes a file.',
      'only waits': '',
      'other leave': '',
      denied: '',
      asks: 'answers: a question for each answer / 1 unused',
      copies: 'files.sub/more.txt: "other" / "more"',
      'no model': 'status: done / failed: model.unavailable: Models are disabled in offline mode.',
      'no recording': faults['no recording'] ?? '',
    });
    assert.match(faults['no recording'] ?? '', /^case: a run \/ The recording cannot be read: ENOENT/);
    assert.equal(readdirSync(files.path, { recursive: true }).length, before + 1, 'only the cases are new');
    assert.deepEqual(
      results.map(({ ok }) => ok),
      Object.values(faultsOf(results)).map((fault) => fault === ''),
    );
  });

  test('a script names the folders of the case, wherever they are', async () => {
    using files = project();
    const read = (path: string): string => `{ calls: [{ name: read, input: { file_path: "${path}" } }] }`;
    const results = await run(
      files,
      'alpha',
      `- name: workspace
  prompt: hello
  files: { facts.txt: Open on Monday. }
  model: { script: [${read('{{workspace}}/facts.txt')}, "{{workspace}} has it"] }
  expect: { calls: { exactly: [read] }, text: { matches: "^/.+ has it$" } }
- name: project
  prompt: hello
  model: { script: [${read('{{project}}/skills/alpha/SKILL.md')}, "{{project}} has it"] }
  expect: { calls: { exactly: [read] }, text: "${files.path} has it" }
- { name: nowhere, prompt: hello, model: { script: ["{{elsewhere}}"] }, expect: { text: "{{elsewhere}}" } }
`,
    );
    assert.deepEqual(faultsOf(results), { workspace: '', project: '', nowhere: '' });
  });

  test('records live in a memory of the case; turns are one conversation', async () => {
    using files = project();
    const results = await run(
      files,
      'jobs',
      `- { name: first, turns: [add title chain, yes, list], expect: { text: { contains: chain } } }
- { name: answers, prompt: add title brake, answers: [yes], expect: { value: { exactly: 1 } } }
- { name: empty, prompt: count, expect: { value: { count: 0 } } }
- { name: typed, input: { operation: count }, expect: { value: { count: 1 } } }
`,
    );
    const { first, empty, typed, answers } = faultsOf(results);
    assert.deepEqual([first, empty, typed], ['', '', 'value.count: 1 / 0']);
    assert.match(answers ?? '', /^value: 1 \/ \{/);
    assert.deepEqual(
      results.map(({ runIds }) => runIds.length),
      [3, 1, 1, 1],
    );
  });

  test('a case cannot trust code; a person can', { skip: withoutBubblewrap }, async () => {
    using files = project();
    const text = '- { name: counts, approve: all, input: {}, expect: { value: { count: 1 } } }\n';
    const [untrusted] = await run(files, 'count', text);
    assert.match(untrusted?.mismatches[0]?.got ?? '', /^waiting: .*is not trusted yet/);
    assert.match(untrusted?.mismatches[0]?.hint ?? '', /^Trust it with `skilled trust grant count`/);
    assert.deepEqual(faultsOf(await run(files, 'count', text, { decides: 'allow' })), { counts: '' });
    const [denied] = await run(files, 'count', text, { decides: 'deny' });
    assert.match(denied?.mismatches[0]?.got ?? '', /^failed: policy\.denied/);
  });

  test('a case that continues for too long is stopped', { skip: withoutBubblewrap }, async () => {
    using files = project();
    const sleeps = '{ calls: [{ name: bash, input: { command: sleep 100 } }] }';
    const results = await run(
      files,
      'alpha',
      `- { name: late, prompt: hello, approve: all, timeoutSeconds: 1, model: { script: [${sleeps}, x] } }\n`,
    );
    assert.deepEqual(faultsOf(results), { late: 'time: at most 1 s / it was still running' });
  });

  test('a case lets nothing out: what fetches pages stays asked about', async () => {
    using files = project();
    const fetches = '{ calls: [{ name: webfetch, input: { url: "https://example.org/", prompt: x } }] }';
    const results = await run(
      files,
      'alpha',
      `- { name: all, prompt: hello, approve: all, model: { script: [${fetches}, x] }, expect: { status: waiting } }
- { name: rule, prompt: hello, approve: [WebFetch], model: { script: [${fetches}, x] }, expect: { status: waiting } }
`,
    );
    assert.deepEqual(faultsOf(results), { all: '', rule: '' });
  });

  test('with bail no other begins after a failure, and none once it is cancelled', async () => {
    using files = project();
    const text = '- { name: a, input: 1 }\n- { name: b, input: 1 }\n';
    const results = await run(files, 'alpha', text, { bail: true });
    assert.deepEqual(
      results.map(({ eval: evaluation, ok }) => [evaluation.name, ok]),
      [['a', false]],
    );
    assert.deepEqual(await run(files, 'alpha', text, { signal: AbortSignal.abort() }), []);
  });
});
