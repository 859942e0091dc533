import type { CheckResult } from './check.ts';

/** The Node that runs us. */
export function checkRuntime(): CheckResult {
  const major = Number(process.versions.node.split('.')[0]);
  const fits = major >= 24;
  return {
    id: 'runtime',
    status: fits ? 'ok' : 'fail',
    summary: `Node ${process.versions.node} on ${process.platform} ${process.arch}`,
    details: [],
    ...(fits ? {} : { hint: 'Install Node 24 or later.' }),
  };
}
