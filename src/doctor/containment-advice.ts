import { existsSync, readFileSync } from 'node:fs';

/** What decides whether processes can be contained on a machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
  /** Settings of the kernel that are in the way, as `sysctl` names them. */
  readonly sysctl: Readonly<Record<string, string | undefined>>;
}

const settings = [
  'kernel.apparmor_restrict_unprivileged_userns',
  'kernel.unprivileged_userns_clone',
  'user.max_user_namespaces',
];

/** This machine, as far as files tell. */
export function lookAtMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)),
    sysctl: Object.fromEntries(settings.map((name) => [name, valueOf(name)])),
  };
}

/** What is in the way of containment, each with what to do about it; pure. */
export function adviseOnContainment({ platform, isRoot, isContainer, sysctl }: Machine): readonly string[] {
  if (platform === 'darwin') return ['macOS: there is no containment here yet.'];
  if (platform !== 'linux') return [`${platform}: there is no containment here; on Windows use WSL 2.`];
  const advice: string[] = [];
  if (sysctl['kernel.apparmor_restrict_unprivileged_userns'] === '1' && !isRoot) {
    advice.push(
      'AppArmor keeps programs from making namespaces, as Ubuntu does since 24.04: give /usr/bin/bwrap a profile with "userns,", or run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    );
  }
  if (sysctl['kernel.unprivileged_userns_clone'] === '0' && !isRoot) {
    advice.push(
      'The kernel keeps users from making namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1',
    );
  }
  if (sysctl['user.max_user_namespaces'] === '0') {
    advice.push('The kernel allows no namespaces at all: sudo sysctl -w user.max_user_namespaces=10000');
  }
  if (isContainer) {
    advice.push(
      'This is a container, and most forbid namespaces: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (Docker, Podman), and --security-opt apparmor=unconfined where there is AppArmor.',
    );
  }
  return advice;
}

function valueOf(setting: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${setting.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return undefined; // this kernel has no such setting
  }
}
