import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { installedMain, installedProject } from '../support/installed.ts';

const libraries = ['skilled', 'skilled/server', 'skilled/testing'];

test('nothing that needs a newer Node is imported before the version is looked at', () => {
  const text = readFileSync(installedMain, 'utf8');
  const imports = text.match(/^import\b(?! *\().*$/gm) ?? [];
  assert.deepEqual(
    imports.filter((line) => !line.includes("from 'node:module'")),
    [],
  );
});

for (const { file, version } of olderNodes()) {
  describe(`Node ${version}`, { concurrency: true }, () => {
    const line = `skilled needs Node 24 or later; this is ${version}. Install it: https://nodejs.org/en/download\n`;
    const refused = { code: 1, stdout: '', stderr: line };

    test('the command says in one line what it needs', async () => {
      assert.deepEqual(await run(file, [installedMain, 'list']), refused);
    });

    for (const name of libraries) {
      test(`import '${name}' says the same`, async () => {
        assert.deepEqual(await run(file, evaluate(`import '${name}'; console.log('loaded');`)), refused);
      });

      test(`a program can catch the error of import('${name}')`, async () => {
        const program = `try { await import('${name}'); } catch (error) { console.log(error.message); }`;
        assert.deepEqual(await run(file, evaluate(program)), { code: 0, stdout: line, stderr: '' });
      });
    }
  });
}

function evaluate(program: string): readonly string[] {
  return ['--input-type=module', '--eval', program];
}

async function run(
  file: string,
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  const options = { cwd: installedProject, env: { HOME: installedProject, PATH: '/usr/bin:/bin' } };
  try {
    return { code: 0, ...(await promisify(execFile)(file, args, options)) };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: unknown; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** Returns the older versions of Node on this machine, if any. */
function olderNodes(): readonly { readonly file: string; readonly version: string }[] {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin'];
  const nodes = [...new Set(folders)]
    .map((folder) => path.join(folder, 'node'))
    .filter((file) => existsSync(file))
    .map((file) => {
      const version = execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
      return { file, version };
    })
    .filter(({ version }) => Number(version.split('.')[0]) < 24);
  return [...new Map(nodes.map((node) => [node.version, node])).values()];
}
