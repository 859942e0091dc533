import { createRedactor, type Redact } from '../core/secrets/redact.ts';
import type { Lender } from './lender.ts';
import { namedSecrets } from './named-secrets.ts';
import type { SetUp } from './set-up.ts';

/** Takes out these secrets and all that settings name, now or before: a reload of the settings adds to them. */
export function currentRedactor(lender: Lender, secrets: readonly string[]): Redact {
  const known = new Set(secrets);
  let made: { readonly for: SetUp; readonly redact: Redact } | undefined;
  const current = (): Redact => {
    const { setUp, options, ports } = lender;
    if (made?.for === setUp) return made.redact;
    for (const secret of namedSecrets(setUp.settings, options, ports.environment)) known.add(secret);
    made = { for: setUp, redact: createRedactor(known) };
    return made.redact;
  };
  return Object.assign((text: string) => current()(text), {
    isOpenAtEnd: (text: string) => current().isOpenAtEnd?.(text) ?? true,
  });
}
