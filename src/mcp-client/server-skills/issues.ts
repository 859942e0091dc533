import { isAgentError, reasonOf, visible, type Issue } from '../../core/index.ts';

const longest = 400; // characters

/** A skill that is not mounted, and which check it failed. */
export function refused(server: string, skill: string, why: string): Issue {
  return {
    level: 'warning',
    code: 'mount.refused',
    message: said(`The skill ${skill} of the server "${server}" is refused: ${why}.`),
    hint: 'Tell whoever runs the server; nothing of this skill is used.',
  };
}

/** A skill whose files the server does not list, so that they cannot be checked. */
export function unverified(server: string, skill: string): Issue {
  return {
    level: 'info',
    code: 'mount.unverified',
    message: said(
      `The skill "${skill}" of the server "${server}" lists no files: only its text is here, as the server gave it.`,
    ),
  };
}

/** More skills, or more bytes, than are taken from one server. */
export function tooMuch(server: string, what: string): Issue {
  return {
    level: 'warning',
    code: 'mount.limit',
    message: `The server "${server}" offers ${what}; the rest is left out.`,
  };
}

const most = 100; // findings

/** As many findings about one server as anybody would read. */
export function few(server: string, issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - most;
  if (more <= 0) return issues;
  const message = `The server "${server}" gives reason for ${more} more findings.`;
  return [...issues.slice(0, most), { level: 'warning', code: 'mount.limit', message }];
}

/** A server that has no skills to offer. */
export function offersNone(server: string): Issue {
  return {
    level: 'warning',
    code: 'mount.none',
    message: `The server "${server}" does not offer skills.`,
    hint: `Remove "skills" from the server "${server}" in the settings.`,
  };
}

/** A server that could not be asked, of which there is nothing. */
export function unreachable(server: string, thrown: unknown): Issue {
  return {
    level: 'warning',
    code: 'mount.unreachable',
    message: said(`The skills of the server "${server}" are not here: ${reasonOf(thrown)}`),
    hint: hintOf(thrown) ?? 'Run `skilled doctor` to see how the server is reached.',
  };
}

/** A server that could not be asked, of which the last copy is used. */
export function keptCopy(server: string, at: number, thrown: unknown): Issue {
  const since = new Date(at).toISOString();
  return {
    level: 'warning',
    code: 'mount.kept',
    message: said(`The skills of the server "${server}" are those of ${since}: ${reasonOf(thrown)}`),
    hint: 'They are looked at again with the next start, or with a reload.',
  };
}

/** What is no failure of ours to tell comes from the disk that the copies lie on. */
function hintOf(thrown: unknown): string | undefined {
  return isAgentError(thrown) ? thrown.hint : 'Make the cache folder writable, or name another.';
}

function said(text: string): string {
  const line = visible(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
