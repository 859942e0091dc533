// Replaces imports of Node's modules. An ES import of such a module reads all of its exports, and some of
// them are getters that load more: `node:crypto` alone takes 8 ms longer that way. It also makes each name a
// binding of each chunk. `process.getBuiltinModule` loads only the module.
export const builtinModules = {
  name: 'builtin-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin-module', sideEffects: false } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'builtin-module' }, ({ path }) => ({ contents: adapterFor(path) }));
  },
};

// Modules that take Node one to three milliseconds to load. Their functions load them when they are called.
const slow = [
  'node:crypto',
  'node:fs/promises',
  'node:readline',
  'node:readline/promises',
  'node:vm',
  'node:zlib',
];

/** Returns a module that exports every name of a module of Node, of which the build keeps those in use. */
function adapterFor(path) {
  const builtin = process.getBuiltinModule(path);
  const names = Object.getOwnPropertyNames(builtin).filter(
    (name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default',
  );
  const get = `process.getBuiltinModule('${path}')`;
  if (slow.includes(path))
    return [
      'let loaded;',
      `const load = () => (loaded ??= ${get});`,
      'export default /* @__PURE__ */ new Proxy({}, { get: (_target, name) => load()[name] });',
      ...names.map((name) =>
        // A class must be the original, for `new` and `instanceof`.
        /^[a-z]/.test(name) && isFunction(builtin, name)
          ? `export const ${name} = (...given) => load().${name}(...given);`
          : `export const ${name} = /* @__PURE__ */ (() => load().${name})();`,
      ),
    ].join('\n');
  return [
    `const builtin = ${get};`,
    'export default builtin;',
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
  ].join('\n');
}

/** Whether a module exports a function. Does not call getters, some of which are deprecated. */
function isFunction(builtin, name) {
  return typeof Object.getOwnPropertyDescriptor(builtin, name)?.value === 'function';
}
