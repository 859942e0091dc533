import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SandboxSupport } from '../config/sandbox-report.ts';
import type { ErrorData } from '../core/error.ts';
import type { CheckResult, Examined } from './report.ts';
import {
  adviseOnSandbox,
  checkCodeWorker,
  checkSnippets,
  describeSandboxSupport,
  lookAtMachine,
  type SandboxMachine,
} from './sandbox.ts';

const linux: SandboxMachine = { platform: 'linux', isRoot: false, isContainer: false, sysctl: {} };

test('nothing is advised where nothing is in the way', () => {
  const sysctl = {
    'kernel.apparmor_restrict_unprivileged_userns': '0',
    'kernel.unprivileged_userns_clone': '1',
    'user.max_user_namespaces': '1000',
  };
  assert.deepEqual(adviseOnSandbox({ ...linux, sysctl }), []);
  assert.deepEqual(adviseOnSandbox(linux), []);
});

test('each obstacle is named with its cure', () => {
  const restricted = { 'kernel.apparmor_restrict_unprivileged_userns': '1' };
  const [first = ''] = adviseOnSandbox({ ...linux, sysctl: restricted });
  assert.match(first, /Ubuntu.*sysctl -w kernel\.apparmor_restrict_unprivileged_userns=0$/);
  assert.deepEqual(adviseOnSandbox({ ...linux, isRoot: true, sysctl: restricted }), []);
  const shut = { 'kernel.unprivileged_userns_clone': '0', 'user.max_user_namespaces': '0' };
  assert.equal(adviseOnSandbox({ ...linux, sysctl: shut }).length, 2);
  assert.match(adviseOnSandbox({ ...linux, isContainer: true })[0] ?? '', /seccomp=unconfined/);
});

test('on other systems nothing of Linux is advised', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    const advice = adviseOnSandbox({ ...linux, platform, isContainer: true });
    assert.equal(advice.length, 1);
    assert.doesNotMatch(advice.join(), /sysctl|--security-opt/);
  }
});

test('a look at this machine does not fail', () => {
  assert.equal(lookAtMachine().platform, process.platform);
});

const check = (found: SandboxSupport, machine: SandboxMachine = linux): CheckResult =>
  describeSandboxSupport(found, machine);

test('what there is is named with its version and with what it gives', () => {
  const path = '/usr/bin/bwrap';
  const result = check({ kind: 'bubblewrap', version: '0.8.0', path, limits: 'watchdog' });
  assert.deepEqual([result.id, result.status], ['containment', 'ok']);
  assert.match(result.summary, /^bubblewrap 0\.8\.0\b/);
  assert.match(result.details.join('\n'), /memory and processes.*\n.*not limited.*\nnetwork: .*proxy/);
  const { details } = check({ kind: 'bubblewrap', version: '0.8.0', path, limits: 'cgroup' });
  assert.match(details.join('\n'), /kernel buffers: limited by the kernel/);
});

test('if there is none, the reason, what follows from it and the next step are said', () => {
  const none: SandboxSupport = { kind: 'none', reason: 'bwrap is not there', hint: 'Install bubblewrap.' };
  const result = check(none, { ...linux, isContainer: true });
  assert.deepEqual(
    [result.status, result.summary, result.hint],
    ['warn', 'none: bwrap is not there', none.hint],
  );
  assert.match(result.details[0] ?? '', /approval.*without a sandbox/);
  assert.equal(result.details.length, 2);
});

const codeWorker = (code: Examined['code']): CheckResult => checkCodeWorker({ code } as Examined);
const snippets = (fault?: ErrorData): CheckResult =>
  checkSnippets({ snippets: fault === undefined ? {} : { fault } } as Examined);

const fault: ErrorData = {
  code: 'sandbox.unavailable',
  message: "The code worker failed to start: Cannot find module '/x/chunk.js'",
  hint: 'Reinstall skilled.',
};

test('code that ran is well, and it is said whether a sandbox was around it', () => {
  const [inside, outside] = [codeWorker({ isSandboxed: true }), codeWorker({ isSandboxed: false })];
  assert.deepEqual([inside.status, outside.status], ['ok', 'ok']);
  assert.match(inside.summary, / in a sandbox/);
  assert.match(outside.summary, / without a sandbox/);
});

test('code that did not run fails with the reason and the next step', () => {
  const { id, status, details, hint } = codeWorker({ fault });
  assert.deepEqual([id, status, details, hint], ['code-worker', 'fail', [fault.message], fault.hint]);
});

test('a snippet that ran is well', () => {
  assert.deepEqual([snippets().id, snippets().status], ['snippets', 'ok']);
});

test('a package for snippets that is missing or does not load is a warning that says what does not work', () => {
  const missing = { ...fault, message: 'isolated-vm is not installed.', details: { package: 'isolated-vm' } };
  const { status, summary, details, hint } = snippets(missing);
  assert.deepEqual([status, details[0], hint], ['warn', missing.message, missing.hint]);
  assert.match(summary, /code that a model writes.* do not run/);
});

test('a snippet that does not run for another reason fails', () => {
  const { status, details, hint } = snippets(fault);
  assert.deepEqual([status, details, hint], ['fail', [fault.message], fault.hint]);
});
