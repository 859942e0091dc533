// A reporter for node:test that sends the results of each file to the process that runs the shards.
import { inspect } from 'node:util';

export default async function* reporter(events) {
  const names = []; // names of the reported test and its suites, outermost first
  let result = emptyResult();
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names.push(data.name);
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { nesting, name, details, skip, todo } = data;
    const titles = [...names.slice(1, nesting), name];
    const title = nesting === 0 ? 'the file itself' : titles.join(' › ');
    if (details.type !== 'suite') {
      if (skip !== undefined || todo !== undefined)
        result.skipped.push(`${title}: ${skip || todo || 'no reason'}`);
      else result[type === 'test:pass' ? 'passed' : 'failed'] += 1;
    }
    if (type === 'test:fail' && details.error?.failureType !== 'subtestsFailed')
      result.failures.push({ title, line: data.line, text: textOf(details.error) });
    if (nesting > 0) continue;
    process.send({ ended: name, ms: details.duration_ms, ...result });
    result = emptyResult();
  }
  yield '';
}

function emptyResult() {
  return { passed: 0, failed: 0, skipped: [], failures: [] };
}

function textOf(error) {
  const cause = error?.code === 'ERR_TEST_FAILURE' ? (error.cause ?? error) : error;
  return inspect(cause, { depth: 4, breakLength: 120 });
}
