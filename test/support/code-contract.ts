import { describe } from 'node:test';
import type { SandboxProvider } from '../../src/core/sandbox.ts';
import { checkCodeCalls } from './code-checks/calls.ts';
import { checkCodeEnds } from './code-checks/ends.ts';
import { checkCodeFaults } from './code-checks/faults.ts';
import { checkHostFunctions } from './code-checks/host-functions.ts';

/** Registers the tests that every code runner must pass, with the given sandbox provider. */
export function codeContract(name: string, sandboxes: SandboxProvider): void {
  describe(`code in ${name} processes`, { concurrency: 2 }, () => {
    checkCodeCalls(sandboxes);
    checkHostFunctions(sandboxes);
    checkCodeFaults(sandboxes);
    checkCodeEnds(sandboxes);
  });
}
