const telling =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PGPASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE|AUTH)(?:_|$)/i;
const passwordOfUrl = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/]+)@/i;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const path = /^(?:[/~]|\.{1,2}[/\\]|[a-z]:[/\\])|^[\w.-]+(?:[/\\][\w.-]+)*[/\\][\w-]+\.[a-z]{1,5}$/i;
const plain = /^(?:[+-]?[\d.,]+|true|false|undefined)$/i;
const shortest = 8;

/** The secrets among environment variables: values whose names say so, and the passwords of URLs whatever the name. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const secrets = Object.entries(environment).flatMap(([name, value]) =>
    secretsOf(name, value?.trim() ?? ''),
  );
  return [...new Set(secrets)].filter((secret) => secret.length >= shortest && !plain.test(secret));
}

function secretsOf(name: string, value: string): readonly string[] {
  const password = passwordOfUrl.exec(value)?.[1];
  if (password !== undefined) return [password, decode(password)];
  return telling.test(name) && !url.test(value) && !path.test(value) ? [value] : [];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that stands for itself
  }
}
