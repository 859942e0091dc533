// Node's test runner tracks every promise to find the suite of a new test and the test of an error. This
// takes a quarter of these tests' CPU time. Here, promises are tracked only while a file is loading, when its
// tests are added, and everything started in that time belongs to the file's suite. An error that no test
// awaits still fails its file, but is reported without the test's name.
import asyncHooks from 'node:async_hooks';

const { createHook, executionAsyncId } = asyncHooks;
let tracking;
let suite;

// The test runner reads this function when it is loaded and calls it when the first test is added.
asyncHooks.createHook = ({ init }) => {
  tracking = createHook({ init: (id, type, _trigger, resource) => init(id, type, suite, resource) });
  return { enable: () => tracking.enable(), disable: () => tracking.disable() };
};
const { describe } = await import('node:test');
asyncHooks.createHook = createHook;

/** Adds a suite with a file's tests. Resolves when they have ended. */
export function describeFile(file, options, load) {
  tracking?.enable();
  return describe(file, options, async () => {
    suite = executionAsyncId();
    try {
      await load();
    } finally {
      tracking.disable();
    }
  });
}
