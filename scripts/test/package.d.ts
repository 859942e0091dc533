export declare function installPackage(options?: { readonly sourceMaps?: boolean }): string;
export declare function installTarball(
  tarball: string,
  app: string,
  options?: { readonly omitOptional?: boolean },
): void;
export declare function packProject(project: string, folder: string): string;
export declare function copyProject(target: string): string;
