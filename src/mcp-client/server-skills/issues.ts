import { isAgentError, reasonOf, visible, type Issue } from '../../core/index.ts';

const longest = 400; // The maximum length of a message, in characters.

/** Reports that a skill was not mounted, with the reason. */
export function refused(server: string, skill: string, why: string): Issue {
  return {
    level: 'warning',
    code: 'mount.refused',
    message: said(`The skill ${skill} from the server "${server}" was rejected: ${why}.`),
    hint: 'Contact the operator of the server; no part of this skill is used.',
  };
}

/** Reports that a skill cannot be verified because the server does not list its files. */
export function unverified(server: string, skill: string): Issue {
  return {
    level: 'info',
    code: 'mount.unverified',
    message: said(
      `The skill "${skill}" from the server "${server}" lists no files, so only its unverified text is available.`,
    ),
  };
}

/** Reports that a server offers more skills or bytes than are allowed. */
export function tooMuch(server: string, what: string): Issue {
  return {
    level: 'warning',
    code: 'mount.limit',
    message: `The server "${server}" offers ${what}; the rest is left out.`,
  };
}

const most = 100; // The maximum number of issues about one server.

/**
 * Returns the first 100 issues about a server. If there are more, adds a warning with the number of the
 * others.
 */
export function few(server: string, issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - most;
  if (more <= 0) return issues;
  const message = `The server "${server}" has ${more} more issues.`;
  return [...issues.slice(0, most), { level: 'warning', code: 'mount.limit', message }];
}

/** Reports that a server does not offer skills. */
export function offersNone(server: string): Issue {
  return {
    level: 'warning',
    code: 'mount.none',
    message: `The server "${server}" does not offer skills.`,
    hint: `Remove "skills" from the server "${server}" in the settings.`,
  };
}

/** Reports that a server could not be queried and that the cache contains no copy of its skills. */
export function unreachable(server: string, thrown: unknown): Issue {
  return {
    level: 'warning',
    code: 'mount.unreachable',
    message: said(`The skills of the server "${server}" are not available: ${reasonOf(thrown)}`),
    hint: hintOf(thrown) ?? 'Run `skilled doctor` to check the connection to the server.',
  };
}

/** Reports that a server could not be queried and that the last copy of its skills is used. */
export function staleCopy(server: string, at: number, thrown: unknown): Issue {
  const since = new Date(at).toISOString();
  return {
    level: 'warning',
    code: 'mount.kept',
    message: said(`The skills of the server "${server}" are from ${since}: ${reasonOf(thrown)}`),
    hint: 'These skills are checked again at the next start or reload.',
  };
}

/** Returns the hint of an `AgentError`. For any other error, returns a hint about the cache folder. */
function hintOf(thrown: unknown): string | undefined {
  return isAgentError(thrown) ? thrown.hint : 'Make the cache folder writable, or choose another.';
}

function said(text: string): string {
  const line = visible(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
