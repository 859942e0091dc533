import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isAgentError, type Family, type Json, type Output, type RenderPlace } from '../core/index.ts';
import { createTestScope } from './test-scope.ts';

/** Inputs that every skill has to survive. */
export const inputs: readonly Json[] = [
  '',
  'hello',
  null,
  0,
  [],
  {},
  { input: 'hello', nested: [{ deep: true }] },
];

const words = ['', 'hello', 'list all of them', '/other', '\u0000', '…', 'x'.repeat(10_000)];

/** A check of one capability on the definition of a valid descriptor. */
type CapabilityCheck = (family: Family, definition: unknown) => Promise<void> | void;

/** What each capability promises, by what the check is called. Only those run that a family has. */
export const capabilityChecks: Readonly<
  Record<string, { readonly isFor: (family: Family) => boolean; readonly check: CapabilityCheck }>
> = {
  'accepts an input or refuses it with usage.bad-input': {
    isFor: ({ input }) => input?.accept !== undefined,
    check: ({ input }, definition) => {
      for (const given of inputs) badInputOnly(() => input?.accept?.(definition, structuredClone(given)));
    },
  },
  'says the same about permission each time': {
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
      const place: RenderPlace = { session: 's', skillDir: '/bundles/x', projectDir: undefined };
      for (const given of inputs) {
        const rendering = badInputOnly(() => text?.render?.(definition, given, place));
        if (rendering === undefined) continue;
        assert.equal(typeof rendering.text, 'string');
        assert.deepEqual(rendering, text?.render?.(definition, given, place), 'rendering twice differs');
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
  'looks at a folder that is not there without throwing': {
    isFor: ({ generation }) => generation?.isDue !== undefined || generation?.inspect !== undefined,
    check: ({ generation }, definition) => {
      assert.ok(['boolean', 'undefined'].includes(typeof generation?.isDue?.(definition, '/no/such/folder')));
      const made = generation?.inspect?.(definition, '/no/such/folder');
      assert.deepEqual(JSON.parse(JSON.stringify(made ?? null)), made ?? null, 'it does not survive JSON');
    },
  },
  'says early whether it is prepared early': {
    isFor: ({ generation }) => generation?.isEarly !== undefined,
    check: ({ generation }, definition) => {
      assert.equal(typeof generation?.isEarly?.(definition), 'boolean');
      assert.notEqual(generation?.prepare, undefined, 'nothing could be prepared');
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
  'reads any words of a person': {
    isFor: ({ prompts }) => prompts?.answers !== undefined || prompts?.recognises !== undefined,
    check: ({ prompts }, definition) => {
      for (const said of words) {
        const isAnswer = prompts?.answers?.(definition, { text: 'Which?', options: ['a', 'b'] }, said);
        assert.ok(isAnswer === undefined || typeof isAnswer === 'boolean');
        assert.ok(['named', 'next', undefined].includes(prompts?.recognises?.(definition, said)));
      }
    },
  },
};

/** What a function gives; undefined where it refuses an input. Anything else that it throws is passed on. */
function badInputOnly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (thrown) {
    if (isAgentError(thrown) && thrown.code === 'usage.bad-input') return undefined;
    throw thrown;
  }
}

/** Checks that something is an output, and survives JSON. */
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
