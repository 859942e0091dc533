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

/** Returns a module that exports every name of a module of Node, of which the build keeps those in use. */
function adapterFor(path) {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(path));
  return [
    `const builtin = process.getBuiltinModule('${path}');`,
    'export default builtin;',
    ...names
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default')
      .map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
  ].join('\n');
}
