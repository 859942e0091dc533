import { leaf, listOf, mapOf, objectOf, type Setting, type Shape } from './setting.ts';
import { text, wholeNumber } from './shapes.ts';

const scopes = ['runs:read', 'runs:write', 'skills:read', 'approvals:decide', 'sessions:read', 'admin'];
const scope = leaf(
  `one of ${scopes.join(', ')}`,
  { enum: scopes },
  (value) => typeof value === 'string' && scopes.includes(value),
);
const scopeList = listOf('a list of scopes', scope);

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const algorithm = leaf(
  `one of ${algorithms.join(', ')}`,
  { enum: algorithms },
  (value) => typeof value === 'string' && algorithms.includes(value),
);

const address = leaf(
  'an https:// address',
  { type: 'string', format: 'uri' },
  (value) => typeof value === 'string' && URL.canParse(value),
);

const audience: Shape = leaf(
  'a string, or a list of strings',
  { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  (value) => [value].flat().every((one) => typeof one === 'string' && one.trim() !== ''),
);

/** Settings of the server. */
export const serverSettings: readonly Setting[] = [
  {
    key: 'serve.oidc',
    shape: objectOf(
      {
        issuer: address,
        audience,
        jwksUrl: address,
        algorithms: listOf('a list of signature algorithms', algorithm),
        claims: objectOf({ user: text, roles: text, scopes: text }, { names: 'a claim' }),
        scopes: scopeList,
        roleScopes: mapOf('an object of lists of scopes keyed by role', scopeList),
        clockTolerance: wholeNumber,
      },
      { names: 'a setting of the identity provider', needs: ['issuer', 'audience'] },
    ),
    description:
      'The identity provider (OpenID Connect) whose tokens the server accepts, and how their claims become users, roles and scopes.',
    byDefault: 'none',
    inProject: { mayBe: () => false, reason: 'A project could let its own users in.' },
  },
];
