/** The names in `${NAME}` and `${NAME:-default}`, in the order of the text. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(reference)].map(([, name = '']) => name);
}

/** The text with the values of the variables that it names; `valueOf` is asked for one that has no default, and throws where there is none. What was put in is not looked through again. */
export function fillVariables(
  text: string,
  valueOf: (name: string, isNeeded: boolean) => string | undefined,
): string {
  return text.replace(
    reference,
    (_, name: string, usual: string | undefined) => valueOf(name, usual === undefined) ?? usual ?? '',
  );
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
