import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isJsonObject, parseJson } from '../src/core/json.ts';
import type { CheckResult } from '../src/doctor/report.ts';
import { withoutBubblewrap } from './support/bubblewrap.ts';
import { installedMain, installedPackage, installedProject } from './support/installed.ts';
import { tree, type Tree } from './support/tree.ts';

const where = withoutBubblewrap === false ? / in a sandbox/ : / without a sandbox/;

/** Returns the results of the doctor's checks of running code, keyed by id, and its exit code. */
function examine(main: string): {
  readonly code: number | null;
  readonly checks: Record<string, CheckResult>;
} {
  using files = tree({ '.git/HEAD': '' });
  const env = { ...process.env, HOME: files.path };
  const args = [main, 'doctor', '--json', '--cwd', files.path];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: files.path, env, encoding: 'utf8' });
  const document = parseJson(stdout);
  assert.ok(isJsonObject(document), stdout);
  const checks = document['checks'] as unknown as readonly CheckResult[];
  return { code: status, checks: Object.fromEntries(checks.map((check) => [check.id, check])) };
}

/** Creates a project with a copy of the installed package and its only required dependency. */
function copyInstalled(): Tree & { readonly main: string } {
  const files = tree({ 'package.json': '{}', 'node_modules/.keep': '' });
  cpSync(installedPackage, files.at('node_modules/skilled'), { recursive: true });
  link(files, 'zod');
  return { ...files, main: files.at('node_modules/skilled/dist/cli/main.js') };
}

function link(files: Tree, name: string): void {
  symlinkSync(join(installedProject, 'node_modules', name), files.at('node_modules', name));
}

describe('the installed package', () => {
  test('runs skill code and snippets', () => {
    const { checks } = examine(installedMain);
    assert.deepEqual(
      ['code-worker', 'snippets'].map((id) => checks[id]?.status),
      ['ok', 'ok'],
      JSON.stringify(checks),
    );
    assert.match(checks['code-worker']?.summary ?? '', where);
  });

  test('needs an optional package for snippets alone, says how to get it, and finds it beside itself', () => {
    using files = copyInstalled();
    const before = examine(files.main);
    assert.equal(before.code, 0);
    assert.equal(before.checks['code-worker']?.status, 'ok');
    const manifest = parseJson(readFileSync(join(installedPackage, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    const version = manifest.optionalDependencies['isolated-vm'] ?? '';
    const { status, details, hint } = before.checks['snippets'] ?? {};
    assert.equal(status, 'warn');
    assert.match(details?.[0] ?? '', /isolated-vm is not installed/);
    assert.equal(hint, `Install it in ${files.path}: npm install isolated-vm@${version}`);
    link(files, 'isolated-vm');
    assert.equal(examine(files.main).checks['snippets']?.status, 'ok');
  });

  test('of which a file is missing fails with the name of the file', () => {
    using files = copyInstalled();
    const worker = files.at('node_modules/skilled/dist/sandboxes/code-worker/worker.js');
    appendFileSync(worker, "\nimport '../../chunks/gone.js';\n");
    const { code, checks } = examine(files.main);
    assert.equal(code, 3);
    assert.equal(checks['code-worker']?.status, 'fail');
    assert.match(
      checks['code-worker'].details[0] ?? '',
      /^The code worker failed to start: Cannot find module '\/.*\/chunks\/gone\.js' imported from \/.*worker\.js$/,
    );
  });
});
