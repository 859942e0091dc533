import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModelServer } from '../src/testing/model-server/server.ts';
import { consultFiles, planFiles, modelVariables, sleepFiles } from './support/command-skills.ts';
import type { Ended } from './support/command.ts';
import { commandsIn, elsewhere, filled, openPasteStage, type PasteStage } from './support/paste-stage.ts';
import { halfOf } from './support/half-of.ts';
import { skillText } from './support/tree.ts';

/** The expected effect of a printed command when it is pasted. */
interface Pasted {
  /** The start of the command. */
  readonly command: string;
  /** The exit code. Default: 0. Null if the test stops the command. */
  readonly code?: number | null;
  /** A pattern for its output on stdout or stderr. */
  readonly says: RegExp;
  /** Set if another case pastes it. */
  readonly isElsewhere?: true;
}

interface Case {
  readonly title: string;
  readonly typed: string;
  /** Set if the command and each printed command ask a model that never answers. The test stops them. */
  readonly hangs?: true;
  readonly prints: readonly Pasted[];
  /** A command to run first, for example to create the problem. */
  readonly before?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Skills in the home folder, keyed by path. */
  readonly own?: Readonly<Record<string, string>>;
  /** Set if the printed commands remove their own reason. The case is then repeated for each of them. */
  readonly isRepeated?: true;
}

const price = {
  'skills/price/cskill.md':
    '# Price\n\n## Description\n\nTells a price.\n\n## Input Format\n\n```json\n{"type": "object"}\n```\n',
  'skills/price/src/index.mjs': 'export const action = () => 7;\n',
};
const alpha = { 'skills/alpha/SKILL.md': skillText('alpha', 'Sharpens all kinds of knives.') };
const trace = { command: 'skilled trace r_', says: /^run r_\w+/m };
const traceAgain = { ...trace, isElsewhere: true } as const;
const grantPrice = { command: 'skilled trust grant price', says: /^price is now trusted/m };
const tryModels = { command: 'skilled models', says: /No model found|Offline/ };
const modelsAgain = { ...tryModels, isElsewhere: true } as const;
const approve = { command: 'skilled approve r_', says: /./, isElsewhere: true } as const;

const cases: readonly Case[] = [
  { title: 'a run that is done', typed: `run /glob '*.md'`, prints: [trace] },
  { title: 'a run that failed', typed: 'run /read nothing.txt', prints: [traceAgain] },
  {
    title: 'a run that waits for an approval',
    typed: 'run /errand',
    own: planFiles,
    isRepeated: true,
    prints: [
      { command: 'skilled approve r_', code: 4, says: /^allowed once: [^]*wants to call "write"/m },
      { command: 'skilled approve r_', says: /^allowed for this run: /m },
      { command: 'skilled approve r_', says: /^allowed for this version: /m },
      { command: 'skilled approve r_', says: /^denied: /m, code: 4 },
      traceAgain,
    ],
  },
  {
    title: 'what waits',
    before: 'run /errand',
    typed: 'approve',
    own: planFiles,
    prints: [
      { command: 'skilled approve r_', code: 4, says: /^allowed once: /m },
      ...[approve, approve, approve],
    ],
  },
  {
    title: 'a run that waits for an answer',
    typed: `run /ask-user 'Which way?'`,
    prints: [{ command: 'skilled resume r_', says: /^<answer>$/m }, traceAgain],
  },
  {
    title: 'a run that was ended from outside',
    typed: 'run /sleep',
    own: sleepFiles,
    hangs: true,
    prints: [{ command: 'skilled resume r_', says: /^Following a run in another process/m, code: null }],
  },
  {
    title: 'a run without a model',
    typed: 'run /consult hello',
    own: consultFiles,
    prints: [tryModels, traceAgain],
  },
  {
    title: 'a prompt for which there is no skill',
    typed: `run 'xyzzy plugh'`,
    prints: [{ command: 'skilled new <family> <name>', says: /fresh\/SKILL\.md$/m }, modelsAgain, traceAgain],
  },
  {
    title: 'an input that does not fit',
    typed: `run /ask-user`,
    prints: [{ command: 'skilled show ask-user', says: /^ask-user$/m }, traceAgain],
  },
  {
    title: 'a name that is misspelt',
    typed: 'run /alhpa',
    files: alpha,
    prints: [{ command: 'skilled list', says: /^alpha /m }],
  },
  {
    title: 'the list',
    typed: 'list',
    files: { ...price, 'skills/broken/SKILL.md': '' },
    prints: [
      { command: 'skilled trust', says: /^needed +price /m },
      { command: 'skilled doctor', code: 3, says: /broken\/SKILL\.md/ },
    ],
  },
  {
    title: 'the list of a new project',
    typed: 'list',
    prints: [{ command: 'skilled new skill hello', says: /hello\/SKILL\.md$/m }],
  },
  { title: 'a skill that nobody trusts', typed: 'show price', files: price, prints: [grantPrice] },
  {
    title: 'what is trusted',
    typed: 'trust',
    files: price,
    prints: [grantPrice],
  },
  {
    title: 'a skill that is trusted now',
    typed: 'trust grant price',
    files: price,
    prints: [{ command: 'skilled trust revoke price', says: /^no longer trusted: price/m }],
  },
  {
    title: 'validate',
    typed: 'validate',
    files: { '.skilled/settings.json': '{"limit": {}}', ...alpha },
    prints: [],
  },
  {
    title: 'a task that nothing fits',
    typed: `find 'xyzzy plugh'`,
    files: alpha,
    prints: [{ command: 'skilled show alpha', says: /^alpha$/m }],
  },
  {
    title: 'the doctor',
    typed: 'doctor',
    files: { ...price, '.skilled/settings.json': '{"offlin": true}' },
    prints: [
      modelsAgain,
      { command: 'skilled config set --user models', says: /settings\.json$/m },
      { command: 'skilled config set --user mcpServers.', says: /settings\.json$/m },
      grantPrice,
      { command: 'skilled doctor --fix', says: /\.gitignore/ },
      { command: 'skilled config explain offline', says: /^offline = false$/m },
    ],
  },
  {
    title: 'a new skill',
    typed: 'new skill triage',
    prints: [
      { command: 'skilled validate ', says: /^valid +\S*triage\/SKILL\.md$/m },
      { command: 'skilled run /triage', code: 6, says: /^error: No model/m },
    ],
  },
  {
    title: 'the kinds of skills',
    typed: 'new',
    prints: [{ command: 'skilled new <family> <name>', says: /fresh\/SKILL\.md$/m }],
  },
  {
    title: 'a new project',
    typed: 'init',
    prints: [
      { command: 'skilled render hello', says: /Ann/ },
      { command: 'skilled run /hello', code: 6, says: /^error: No model/m },
      modelsAgain,
      { command: 'skilled new', says: /^FAMILY /m },
      { command: 'skilled new <family> <name>', says: /fresh\/SKILL\.md$/m },
    ],
  },
  {
    title: 'no cases',
    typed: 'test',
    files: alpha,
    prints: [{ command: 'skilled test --example alpha', says: /^# Tests of alpha/m }],
  },
  {
    title: 'a case that needs trust',
    typed: 'test --keep',
    files: {
      ...price,
      'skills/price/tests/cases.yaml': '- name: tells\n  input: {}\n  expect:\n    status: done\n',
    },
    prints: [grantPrice, { command: 'skilled test --yes', says: /^ok +price › tells/m }, traceAgain],
  },
  {
    title: 'nothing to build',
    typed: 'build',
    prints: [{ command: 'skilled new code-skill <name>', says: /fresh\/cskill\.md$/m }],
  },
  {
    title: 'no settings',
    typed: 'config',
    prints: [{ command: 'skilled config list --all', says: /^limits\.depth /m }],
  },
  {
    title: 'a value that does not fit',
    typed: 'config set limits.depth deep',
    prints: [{ command: 'skilled config explain limits.depth', says: /^limits\.depth = \d+$/m }],
  },
  {
    title: 'no runs',
    typed: 'runs',
    files: alpha,
    prints: [{ command: 'skilled run /<skill>', code: 6, says: /^error: No model/m }],
  },
  {
    title: 'a run that is not there',
    before: `run /glob '*'`,
    typed: 'trace r_0000',
    prints: [{ command: 'skilled runs', says: /^r_\w+ +done +glob/m }],
  },
  {
    title: 'a conversation',
    typed: `chat`,
    prints: [],
  },
  {
    title: 'a command that is not there',
    typed: 'frobnicate',
    prints: [{ command: 'skilled help', says: /^skilled runs the skills in any folder/m }],
  },
];

const values = {
  '<family>': 'skill',
  '<name>': 'fresh',
  '<skill>': 'alpha',
  '<provider>/<model>': 'ollama/llama3.2',
};

// As npx sets it. With another name, a command that is printed as in the source is noticed.
const npx = { npm_lifecycle_script: "'skilled'" };

describe('every command that is printed can be pasted', { concurrency: 2 }, () => {
  for (const one of halfOf(cases))
    test(one.title, () => follow(one, `${one.typed} ${elsewhere}`, 'npx skilled', npx));

  test('without npx, in a store that a variable names', async () => {
    const [first] = cases;
    assert.ok(first);
    await follow(first, `${first.typed} ${elsewhere}`, 'skilled', { SKILLED_STORE: 'runs.db' });
  });
});

/** Runs a command, and each command that it prints. */
async function follow(
  one: Case,
  typed: string,
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await using server = one.hangs === true ? await openModelServer(() => ({ hang: 'request' })) : undefined;
  const begun = (): Promise<unknown> | undefined => server?.waitForRequest(server.requests.length);
  const variables = { ...env, ...(server === undefined ? {} : modelVariables(server)) };
  const open = async (): Promise<Disposable & { stage: PasteStage; printed: readonly string[] }> => {
    const stage = openPasteStage({ env: variables, files: one.files ?? {}, own: one.own ?? {} });
    if (one.before !== undefined) await stage.type(`skilled ${one.before} ${elsewhere}`);
    const { out, err } = await stage.type(`skilled ${typed}`, begun());
    const printed = commandsIn(out + err, program);
    const expected = one.prints.map(({ command }) => command.replace('skilled', program));
    assert.deepEqual(
      printed.map((command, index) => command.slice(0, expected[index]?.length)),
      expected,
      out + err,
    );
    return { stage, printed, [Symbol.dispose]: () => stage[Symbol.dispose]() };
  };
  let opened = await open();
  try {
    for (const [index, pasted] of one.prints.entries()) {
      if (pasted.isElsewhere === true) continue;
      if (one.isRepeated === true && index > 0) {
        opened[Symbol.dispose]();
        opened = await open();
      }
      const command = filled(opened.printed[index] ?? '', values);
      mustCome(pasted, await opened.stage.type(command, begun()), command);
    }
  } finally {
    opened[Symbol.dispose]();
  }
}

function mustCome(
  { code: expectedCode = 0, says }: Pasted,
  { code, out, err }: Ended,
  command: string,
): void {
  assert.match(out + err, says, command);
  assert.equal(code, expectedCode, `${command}\n${out}${err}`);
}
