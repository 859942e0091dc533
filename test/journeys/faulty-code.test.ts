import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { call, errorIn, leaveHome } from '../support/command.ts';
import { runCommand } from '../support/command-process.ts';
import { tree } from '../support/tree.ts';

leaveHome();

/** Code with one fault, the expected message and the exit code. */
interface Faulty {
  readonly code?: string;
  /** The descriptor, instead of a correct one. */
  readonly descriptor?: string;
  readonly head?: string;
  readonly more?: string;
  readonly error: string;
  readonly says: RegExp;
  readonly exit: number;
}

const schema = '{"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}';
const typed = `\n## Output Format\n\n\`\`\`json\n${schema}\n\`\`\`\n`;

const faulty: Readonly<Record<string, Faulty>> = {
  malformed: {
    descriptor: '---\nname: [malformed\n: - {\n---\n\0\u0001\n',
    code: 'export const action = () => 1;\n',
    error: 'skill.invalid',
    says: /mine\/malformed\/cskill\.md/,
    exit: 3,
  },
  blank: { descriptor: '', error: 'skill.not-found', says: /mine\/blank\/cskill\.md/, exit: 3 },
  'without-source': { error: 'skill.invalid', says: /src\/index\.ts.*mine\/without-source/, exit: 3 },
  'throws-at-import': {
    code: 'const one = 1;\nthrow new Error(`too early ${one}`);\n',
    error: 'skill.invalid',
    says: /src\/index\.mjs cannot be loaded: too early 1 \(src\/index\.mjs:2\)/,
    exit: 3,
  },
  'without-action': {
    code: 'export const other = 1;\n',
    error: 'skill.invalid',
    says: /src\/index\.mjs does not export a function named action/,
    exit: 3,
  },
  'never-returns': {
    code: 'export const action = () => new Promise((resolve) => setTimeout(resolve, 1e9));\n',
    head: 'timeout: 1\n',
    error: 'limit.time',
    says: /src\/index\.mjs took longer than 1 second/,
    exit: 5,
  },
  'gives-no-json': {
    code: 'export const action = () => ({ found: [new Map()] });\n',
    error: 'skill.failed',
    says: /src\/index\.mjs returned something that is not JSON: found/,
    exit: 1,
  },
  'gives-another-shape': {
    code: 'export const action = () => ({ sum: 1 });\n',
    more: typed,
    error: 'skill.failed',
    says: /Output Format: total is required .*src\/index\.mjs/,
    exit: 1,
  },
};

const good = { code: 'export const action = (text) => `well, ${text}`;\n' };

const folder = tree({ '.git/HEAD': '', ...planted({ ...faulty, good }) });
after(() => {
  folder[Symbol.dispose]();
});
const where = ['--skills', folder.at('mine'), '--cwd', folder.path];

describe('code that is wrong', { skip: withoutBubblewrap }, () => {
  for (const [name, { error, says, exit }] of Object.entries(faulty)) {
    test(`${name} is reported with its file, and how the program ends says what kind it is`, async () => {
      const ended = await call(['run', `/${name}`, 'hello', '--json', ...where]);
      const { code, message, hint = '' } = errorIn(ended);
      assert.deepEqual([code, ended.code], [error, exit], message);
      assert.match(`${message} ${hint}`, says);
      assert.notEqual(hint, '');
    });
  }

  test('leaves a conversation alive in which something else works', async () => {
    const lines = [...Object.keys(faulty), 'good'].map((name) => `/${name} hello\n`);
    const env = { HOME: folder.at('home'), PATH: '/usr/bin:/bin' };
    const { out, err } = await runCommand(['chat', ...where], {
      env,
      cwd: folder.path,
      input: lines.join(''),
    });
    assert.equal(out, 'well, hello\n', err);
    const skills = Object.entries(faulty).filter(([name]) => name !== 'blank'); // which is not JavaScript, and is reported as invalid
    for (const [name, { says }] of skills) assert.match(err.replaceAll('\n', ' '), says, name);
  });
});

/** Returns the files of skills, with the descriptors and the code that they have. */
function planted(skills: Readonly<Record<string, Partial<Faulty>>>): Readonly<Record<string, string>> {
  const files = Object.entries(skills).flatMap(([name, { code, descriptor, head = '', more = '' }]) => {
    const usual = `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n# ${name}\n\n## Input Format\n\nAny text.\n${more}`;
    const own = [`mine/${name}/cskill.md`, descriptor ?? usual] as const;
    return code === undefined ? [own] : [own, [`mine/${name}/src/index.mjs`, code] as const];
  });
  return Object.fromEntries(files);
}
