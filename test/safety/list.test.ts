import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { leaveHome } from '../support/command.ts';
import { codeCases } from './cases/code.ts';
import { commandCases } from './cases/commands.ts';
import { descriptorCases } from './cases/descriptors.ts';
import { keyCases } from './cases/keys.ts';
import { linkCases } from './cases/links.ts';
import { nameCases } from './cases/names.ts';
import { preparationCases } from './cases/preparation.ts';
import { renderingCases } from './cases/rendering.ts';
import { serverCases, startedServerCases } from './cases/servers.ts';
import { shellSwitchCases } from './cases/shell-switch.ts';
import { stubbornCodeCases } from './cases/stubborn-code.ts';
import { snippetCases } from './cases/snippets.ts';
import { tableCases } from './cases/tables.ts';
import { variableCases } from './cases/variables.ts';
import type { SafetyCase } from './case.ts';
import { createStage } from './stage.ts';

leaveHome();

const cases = [
  ...[...nameCases, ...linkCases, ...descriptorCases],
  ...[...keyCases, ...commandCases, ...snippetCases, ...tableCases, ...serverCases],
  ...[...renderingCases, ...shellSwitchCases, ...variableCases, ...preparationCases],
].toSorted((one, other) => one.id.localeCompare(other.id));

function testEach(cases: readonly SafetyCase[]): void {
  for (const { id, what, run } of cases) {
    test(`${id} ${what}`, async () => {
      using stage = createStage();
      await stage.check(await run(stage));
    });
  }
}

describe('the list that every release passes', () => {
  testEach(cases);

  test('has every case once', () => {
    const all = Array.from({ length: 36 }, (_, index) => `P${String(index + 1).padStart(2, '0')}`);
    assert.deepEqual(
      cases.map(({ id }) => id),
      all,
    );
  });
});

describe('the same by the code of skills', { skip: withoutBubblewrap }, () => {
  testEach([...codeCases, ...stubbornCodeCases]);
});

describe('the same by servers that are started', { skip: withoutBubblewrap }, () => {
  testEach(startedServerCases);
});
