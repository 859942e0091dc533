// Node's test runner tracks every promise in order to find the suite of a new test and the test that caused
// an error. The tracking takes a quarter of these tests' CPU time. Here, promises are tracked only while a
// file is being loaded, which is when its tests are added, and everything that is started in that time
// belongs to the file's suite. An error that no test awaits still fails its file, but is reported without the
// name of a test.
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

/** Adds a suite with the tests of a file. Resolves when the tests have ended. */
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
