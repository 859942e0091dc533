import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { hidingBubblewrap, withoutBubblewrap } from '../support/bubblewrap.ts';
import { runCommand, startCommand } from '../support/command-process.ts';
import { codeSkillFiles } from '../support/code-skill-stage.ts';
import { tree } from '../support/tree.ts';

// Reports that it runs, waits while its file can be changed, and then reads the rest of itself.
const code = `import { existsSync, writeFileSync } from 'node:fs';
const at = (name) => process.env.SKILLED_PROJECT_DIR + '/' + name;
export const action = async () => {
  writeFileSync(at('ready'), process.env.SKILLED_SKILL_DIR);
  while (!existsSync(at('go'))) await new Promise((resolve) => setTimeout(resolve, 10));
  return (await import('./late.mjs')).word;
};
`;

const kinds: readonly (readonly [string, readonly string[], string | false])[] = [
  ['in a sandbox', [], withoutBubblewrap],
  ['without a sandbox', hidingBubblewrap, withoutBubblewrap],
];

describe('trusted code runs from a copy in the cache of the user', () => {
  for (const [where, wrapper, skip] of kinds) {
    test(where, { skip }, async () => {
      const files = { 'src/index.mjs': code, 'src/late.mjs': "export const word = 'good';\n" };
      using project = tree({
        ...Object.fromEntries(
          Object.entries(codeSkillFiles({ x: { files } })).map(([path, text]) => [
            `work/.agents/${path}`,
            text,
          ]),
        ),
        'home/.skilled/settings.json': JSON.stringify({ skills: { entries: { x: { workspace: 'write' } } } }),
      });
      const late = project.at('work/.agents/skills/x/src/late.mjs');
      const env = { HOME: project.at('home'), PATH: '/usr/bin:/bin' };
      const options = { env, cwd: project.at('work'), wrapper };
      assert.equal((await runCommand(['trust', 'grant', 'x'], options)).code, 0);

      const started = startCommand(['run', '/x', '--yes', 'now'], options);
      while (!existsSync(project.at('work/ready')) && started.child.exitCode === null) await wait(10);
      writeFileSync(late, "export const word = 'evil';\n");
      project.write('work/go', '');
      const { code: exit, out, err } = await started.ended;
      assert.deepEqual([exit, out], [0, 'good\n'], err);

      const [name = ''] = readdirSync(project.at('home/.cache/skilled/bundles'));
      const copy = project.at('home/.cache/skilled/bundles', name, 'files');
      assert.match(readFileSync(`${copy}/src/late.mjs`, 'utf8'), /good/);
      const shown = where === 'in a sandbox' ? project.at('work/.agents/skills/x') : copy;
      assert.equal(readFileSync(project.at('work/ready'), 'utf8'), shown);
      const trace = await runCommand(['trace', 'last', '--json'], options);
      assert.ok(trace.out.includes(`sha256:${name}`), 'the run names what it ran');

      const again = await runCommand(['run', '/x', '--safe', 'now'], options);
      assert.notEqual(again.code, 0, 'what was put in its place is not trusted');
    });
  }
});
