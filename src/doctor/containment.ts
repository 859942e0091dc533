import type { Containment } from '../config/sandbox-report.ts';
import type { CheckResult, Examined } from './check.ts';
import { adviseOnContainment, lookAtMachine, type Machine } from './containment-advice.ts';

/** What keeps the processes of skills from all that they were not granted, and how to get it where nothing does. */
export function checkContainment({ containment, settings }: Examined): CheckResult {
  const described = describeContainment(containment, lookAtMachine());
  const isMissed = containment.kind === 'none' && settings.sandbox === 'required';
  return isMissed ? { ...described, status: 'fail' } : described;
}

/** The same for any machine; pure. */
export function describeContainment(found: Containment, machine: Machine): CheckResult {
  if (found.kind === 'none') {
    return {
      id: 'containment',
      status: 'warn',
      summary: `none: ${found.reason}`,
      details: [
        'Everything that would start a process asks first, every time, and says that it is unsandboxed; with the setting sandbox at "required" it is refused.',
        ...adviseOnContainment(machine),
      ],
      hint: found.hint,
    };
  }
  return {
    id: 'containment',
    status: 'ok',
    summary: `bubblewrap ${found.version}, proven by running it`,
    details: [
      'memory and processes of a whole command: limited, by a look at them many times a second',
      'network: none, or the hosts that were granted, through a proxy',
    ],
  };
}
