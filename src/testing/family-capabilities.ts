import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isAgentError, type Family, type Json, type Output, type RenderContext } from '../core/index.ts';
import { createTestScope } from './test-scope.ts';

/** Inputs that every skill must either accept or reject without crashing. */
export const inputs: readonly Json[] = [
  '',
  'hello',
  null,
  0,
  [],
  {},
  { input: 'hello', nested: [{ deep: true }] },
];

const texts = ['', 'hello', 'list all of them', '/other', '\u0000', '…', 'x'.repeat(10_000)];

/** Checks one capability of a family. `definition` was parsed from a valid descriptor. */
type CapabilityCheck = (family: Family, definition: unknown) => Promise<void> | void;

/** The checks, keyed by test name. A check runs only if the family has the capability. */
export const capabilityChecks: Readonly<
  Record<string, { readonly isFor: (family: Family) => boolean; readonly check: CapabilityCheck }>
> = {
  'accepts an input or rejects it with usage.bad-input': {
    isFor: ({ input }) => input?.accept !== undefined,
    check: ({ input }, definition) => {
      for (const given of inputs) badInputOnly(() => input?.accept?.(definition, structuredClone(given)));
    },
  },
  'describes the same permission each time': {
    isFor: ({ permission }) => permission !== undefined,
    check: ({ permission }, definition) => {
      assert.ok(['boolean', 'undefined'].includes(typeof permission?.runsCode?.(definition)));
      assert.equal(permission?.runsCode?.(definition), permission?.runsCode?.(definition));
      const described = permission?.describe?.(definition);
      assert.equal(inspect(permission?.describe?.(definition)), inspect(described));
      assert.ok(described === undefined || typeof described === 'object');
    },
  },
  'renders text without running anything': {
    isFor: ({ text }) => text?.render !== undefined,
    check: ({ text }, definition) => {
      const context: RenderContext = { session: 's', skillDir: '/bundles/x', projectDir: undefined };
      for (const given of inputs) {
        const rendering = badInputOnly(() => text?.render?.(definition, given, context));
        if (rendering === undefined) continue;
        assert.equal(typeof rendering.text, 'string');
        assert.deepEqual(rendering, text?.render?.(definition, given, context), 'rendering twice differs');
        assert.ok(
          rendering.commands.every(({ ran }) => !ran),
          'a command ran',
        );
      }
    },
  },
  'loads text as data': {
    isFor: ({ text }) => text?.load !== undefined,
    check: async ({ text }, definition) => {
      for (const given of inputs) checkOutput(await text?.load?.(definition, given, createTestScope()));
    },
  },
  'inspects a missing folder without throwing': {
    isFor: ({ generation }) => generation?.isDue !== undefined || generation?.inspect !== undefined,
    check: ({ generation }, definition) => {
      assert.ok(['boolean', 'undefined'].includes(typeof generation?.isDue?.(definition, '/no/such/folder')));
      const generated = generation?.inspect?.(definition, '/no/such/folder');
      assert.deepEqual(
        JSON.parse(JSON.stringify(generated ?? null)),
        generated ?? null,
        'it does not survive JSON',
      );
    },
  },
  'reports whether it is prepared early': {
    isFor: ({ generation }) => generation?.isEarly !== undefined,
    check: ({ generation }, definition) => {
      assert.equal(typeof generation?.isEarly?.(definition), 'boolean');
      assert.notEqual(generation?.prepare, undefined, 'there is no "prepare"');
    },
  },
  'builds to an output that survives JSON': {
    isFor: ({ generation }) => generation?.build !== undefined,
    check: async ({ generation }, definition) => {
      checkOutput(await generation?.build?.(definition, {}, createTestScope()));
    },
  },
  'makes an assistant that runs': {
    isFor: ({ prompts }) => prompts?.assistant !== undefined,
    check: async ({ prompts, execute }) => {
      for (const session of ['loop', 'sop'] as const) {
        const assistant = prompts?.assistant?.({ goal: 'hello', skills: [], session });
        checkOutput(await execute(assistant, 'hello', createTestScope()));
      }
    },
  },
  'reads any text from a person': {
    isFor: ({ prompts }) => prompts?.answers !== undefined || prompts?.recognises !== undefined,
    check: ({ prompts }, definition) => {
      for (const said of texts) {
        const isAnswer = prompts?.answers?.(definition, { text: 'Which?', options: ['a', 'b'] }, said);
        assert.ok(isAnswer === undefined || typeof isAnswer === 'boolean');
        assert.ok(['named', 'next', undefined].includes(prompts?.recognises?.(definition, said)));
      }
    },
  },
};

/** Returns the result of `work`, or undefined if it throws `usage.bad-input`. Throws any other error. */
function badInputOnly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (thrown) {
    if (isAgentError(thrown) && thrown.code === 'usage.bad-input') return undefined;
    throw thrown;
  }
}

/** Checks that a value is a valid output and that converting it to JSON and back does not change it. */
export function checkOutput(output: unknown): asserts output is Output {
  assert.deepEqual(JSON.parse(JSON.stringify(output)), output, 'the output does not survive JSON');
  const { status, text, error } = output as {
    status: unknown;
    text: unknown;
    error?: { code: unknown; message: unknown };
  };
  assert.ok(status === 'done' || status === 'failed', inspect(output));
  assert.equal(typeof text, 'string');
  if (status === 'done') return;
  assert.match(String(error?.code), /^[a-z]+\.[a-z-]+$/);
  assert.equal(typeof error?.message, 'string');
}
