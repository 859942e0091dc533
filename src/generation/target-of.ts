/** The file in `src` that is made of a spec, by its path in `specs`; undefined where that would be no proper place. */
export function targetOf(path: string): string | undefined {
  const rest = path.replace(/\.mds?$/i, '').replace(/^src\//, '');
  const target = hasExtension(rest) ? rest : `${rest}.ts`;
  return isTarget(target) ? target : undefined;
}

/** Whether a path leads to a file in `src` that could be generated: no way out, nothing hidden, no name that others read differently. */
export function isTarget(path: string): boolean {
  return path.split('/').every((part) => part !== '' && !/^\.|[\\:\p{Cc}\ufffd]/u.test(part));
}

/** Whether a name ends like that of source code. */
export function isCode(path: string): boolean {
  return /\.(?:[cm]?ts|[cm]?js)$/i.test(path);
}

/** A path without its extension. */
export function withoutExtension(path: string): string {
  return path.replace(/\.[a-z]{1,5}$/i, '');
}

function hasExtension(path: string): boolean {
  return /[^/]\.[a-z]{1,5}$/i.test(path);
}
