// The test runner of Node tracks every promise, to know which suite a test is added to and which test an error belongs to.
// That takes a quarter of the CPU time of these tests. Here it tracks them only while a file is loaded, when tests are
// added, and everything that is started meanwhile belongs to the suite of the file.
// An error that no test awaits still fails its file, but is reported without the name of its test.
import asyncHooks from 'node:async_hooks';

const { createHook, executionAsyncId } = asyncHooks;
let tracking;
let suite;

// The test runner takes this function when it is loaded, and calls it when the first test is added.
asyncHooks.createHook = ({ init }) => {
  tracking = createHook({ init: (id, type, _trigger, resource) => init(id, type, suite, resource) });
  return { enable: () => tracking.enable(), disable: () => tracking.disable() };
};
const { describe } = await import('node:test');
asyncHooks.createHook = createHook;

/** Adds a suite with the tests of a file; resolves when they have ended. */
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
