// Writes one declaration file for each library entry. The file includes the types of packages that users do
// not install.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';

const libraries = {
  inlinedLibraries: ['@ai-sdk/provider', 'json-schema', '@types/json-schema'],
  importedLibraries: ['zod'],
  allowedTypesLibraries: ['node'],
};

// A type that users cannot import may have the same name as a type that they can import.
const output = { noBanner: true, exportReferencedTypes: false };

/**
 * Writes the declarations. `entries` maps source files to declaration files. Both are relative to the root.
 */
export function rollUpTypes(root, entries) {
  const work = path.join(root, 'dist', 'declarations');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    const sources = Object.keys(entries);
    const config = path.join(work, 'tsconfig.json');
    writeFileSync(config, JSON.stringify(configFor(root, work, sources)));
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });

    const declared = sources.map((source) =>
      path.join(work, path.relative('src', source).replace(/\.ts$/, '.d.ts')),
    );
    const texts = generateDtsBundle(
      declared.map((filePath) => ({ filePath, libraries, noCheck: true, output })),
      { preferredConfigPath: config },
    );
    for (const [index, target] of Object.values(entries).entries())
      writeFileSync(path.join(root, target), texts[index]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// `npm run types` checks the types, so they are only written here.
function configFor(root, outDir, sources) {
  return {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: path.join(root, 'src'),
      outDir,
    },
    include: [],
    files: sources.map((source) => path.join(root, source)),
  };
}
