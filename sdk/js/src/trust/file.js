// @ts-check
// `trust.toml` on disk, shared with the command line. One writer at a time, a whole replacement, and no change of a file
// that changed meanwhile.
//
//     lock trust.toml.lock ──► read ──► act ──► write trust.toml.PID.new, sync ──► compare with what was read ──► rename
//
// The command line locks `trust.toml.lock` by flock(2). Node has no such call; the program `flock` (util-linux) takes the
// lock on a descriptor that this process keeps. Where there is no such program, a file `trust.toml.lock.js` excludes other
// processes of this library, and the comparison before the rename refuses a change by the command line.

import { TrustError } from "./error.js";
import { FOLDER, SET_FILE_BYTES_MAX } from "./light_client.js";
import { TEXT_BYTES_MAX } from "./text.js";

/** @typedef {import("./storage.js").TrustStorage} TrustStorage */

const LOCK_SECONDS = 10;
const LINKS_MAX = 40;

/** The part of `node:fs` that is used. @typedef {{
 *   openSync(path: string, flags: string, mode?: number): number, closeSync(fd: number): void,
 *   fstatSync(fd: number): { size: number, isFile(): boolean },
 *   statSync(path: string, options: { throwIfNoEntry: false }): { mode: number } | undefined,
 *   lstatSync(path: string, options: { throwIfNoEntry: false }): { isSymbolicLink(): boolean } | undefined,
 *   readSync(fd: number, bytes: Uint8Array, at: number, length: number, position: null): number,
 *   readlinkSync(path: string): string, mkdirSync(path: string, options: { recursive: true }): unknown,
 *   fchmodSync(fd: number, mode: number): void, fsyncSync(fd: number): void,
 *   writeFileSync(file: string | number, content: string | Uint8Array): void,
 *   renameSync(from: string, to: string): void, rmSync(path: string, options: { force: true }): void }} FileSystem */
/** @typedef {{ isAbsolute(path: string): boolean, join(...parts: string[]): string, dirname(path: string): string,
 *   resolve(...parts: string[]): string }} Paths */
/** @typedef {{ spawn(program: string, args: string[], options: { stdio: (string | number)[] }): {
 *   on(event: "error", then: () => void): void, on(event: "exit", then: (code: number | null) => void): void } }} Processes */
/** @typedef {{ "node:fs": FileSystem, "node:path": Paths, "node:child_process": Processes }} Builtins */
/** The part of Node's `process` that is used. @typedef {{ pid: number, env: Record<string, string | undefined>,
 *   getBuiltinModule?: (name: string) => unknown }} NodeProcess */

/** This process, in Node. @returns {NodeProcess | undefined} */
const nodeProcess = () => /** @type {any} */ (globalThis).process;

/** A module of Node, without an import that a bundler for browsers would stumble over.
 * @template {keyof Builtins} N @param {N} name @returns {Builtins[N]} */
export function builtin(name) {
  const found = nodeProcess()?.getBuiltinModule?.(name);
  if (!found) throw new TrustError("file", "files need Node 20.16 or later");
  return /** @type {any} */ (found);
}

/** The command line's default store: `$XDG_CONFIG_HOME/superroot/trust.toml`, else below `$HOME/.config`.
 * @returns {string} */
export function defaultPath() {
  const { isAbsolute, join } = builtin("node:path");
  const { XDG_CONFIG_HOME: config, HOME: home } = nodeProcess()?.env ?? {};
  const folder = config && isAbsolute(config) ? config : home && isAbsolute(home) ? join(home, ".config") : null;
  if (folder === null) throw new TrustError("file", "neither XDG_CONFIG_HOME nor HOME names a folder: name the file");
  return join(folder, "superroot", "trust.toml");
}

/** The store in a file; the file need not exist yet. @param {string} path @returns {TrustStorage} */
export function fileStorage(path) {
  const fs = builtin("node:fs");
  /** Work of this process on the file, one after the other. @type {Promise<void>} */
  let queue = Promise.resolve();
  return {
    read: async () => readText(fs, path),
    readSet: async (name) => {
      const { dirname, join } = builtin("node:path");
      return readBytes(fs, join(dirname(path), FOLDER, name), SET_FILE_BYTES_MAX);
    },
    change: (act) => {
      const done = queue.then(() => changeLocked(fs, path, act));
      queue = done.catch(() => {});
      return done;
    },
  };
}

/** @param {FileSystem} fs @param {string} path @param {(text: string | null) => string | null} act */
async function changeLocked(fs, path, act) {
  await named(path, () => fs.mkdirSync(builtin("node:path").dirname(path), { recursive: true }));
  const unlock = await lock(fs, path);
  try {
    const before = readText(fs, path);
    const after = act(before);
    if (after !== null && after !== before) replace(fs, path, before, after);
  } finally {
    unlock();
  }
}

/** @template T @param {string} path @param {() => T} run @returns {T} */
function named(path, run) {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof TrustError) throw cause;
    throw new TrustError("file", `trust store ${path}: ${/** @type {Error} */ (cause).message}`, { cause });
  }
}

/** @param {FileSystem} fs @param {string} path @returns {string | null} null where there is no file */
function readText(fs, path) {
  const bytes = readBytes(fs, path, TEXT_BYTES_MAX);
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TrustError("malformed", "the trust store is malformed: it is no UTF-8", { cause });
  }
}

/** @param {FileSystem} fs @param {string} path @param {number} max @returns {Uint8Array | null} null where there is no file */
function readBytes(fs, path, max) {
  return named(path, () => {
    let fd;
    try {
      fd = fs.openSync(path, "r");
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === "ENOENT") return null;
      throw error;
    }
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) throw new Error("it is no file");
      if (stat.size > max) throw new Error(`larger than ${max} bytes`);
      const bytes = new Uint8Array(stat.size + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        read = fs.readSync(fd, bytes, length, bytes.length - length, null);
      }
      return bytes.subarray(0, length);
    } finally {
      fs.closeSync(fd);
    }
  });
}

/** Puts the new text in place, if the file is still as it was read.
 * @param {FileSystem} fs @param {string} path @param {string | null} before @param {string} after */
function replace(fs, path, before, after) {
  named(path, () => {
    const target = followLinks(fs, path);
    const fresh = `${target}.${nodeProcess()?.pid}.new`;
    try {
      const fd = fs.openSync(fresh, "w", 0o666);
      try {
        const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode;
        if (mode !== undefined) fs.fchmodSync(fd, mode & 0o7777);
        fs.writeFileSync(fd, after);
        fs.fsyncSync(fd);
      } finally {
        fs.closeSync(fd);
      }
      if (readText(fs, target) !== before) {
        throw new TrustError("changed",
          `the trust store ${path} has changed meanwhile: nothing was written, try again`);
      }
      fs.renameSync(fresh, target);
    } catch (error) {
      fs.rmSync(fresh, { force: true });
      throw error;
    }
    const folder = fs.openSync(builtin("node:path").dirname(target), "r");
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  });
}

/** @param {FileSystem} fs @param {string} path @returns {string} */
function followLinks(fs, path) {
  const { dirname, resolve } = builtin("node:path");
  let at = path;
  for (let count = 0; count < LINKS_MAX; count++) {
    if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
    at = resolve(dirname(at), fs.readlinkSync(at));
  }
  throw new Error("too many links lead from one to the next");
}

/** Takes the lock; the returned function gives it back.
 * @param {FileSystem} fs @param {string} path @returns {Promise<() => void>} */
async function lock(fs, path) {
  const fd = named(path, () => fs.openSync(`${path}.lock`, "w"));
  const isLocked = await flock(fd).catch((error) => {
    fs.closeSync(fd);
    throw error;
  });
  if (isLocked) return () => fs.closeSync(fd);
  fs.closeSync(fd);
  return lockByName(fs, path);
}

/** Locks an open file by the program `flock`, which shares the descriptor with this process.
 * @param {number} fd @returns {Promise<boolean>} false where there is no such program */
function flock(fd) {
  const { spawn } = builtin("node:child_process");
  return new Promise((resolve, reject) => {
    const child = spawn("flock", ["--exclusive", "--timeout", String(LOCK_SECONDS), "--conflict-exit-code", "75", "3"],
      { stdio: ["ignore", "ignore", "ignore", fd] });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => {
      if (code === 75) {
        reject(new TrustError("locked", `another process works on the trust store, for more than ${LOCK_SECONDS} s`));
      }
      else resolve(code === 0);
    });
  });
}

/** Locks by making a file that must not exist. @param {FileSystem} fs @param {string} path
 * @returns {Promise<() => void>} */
async function lockByName(fs, path) {
  const name = `${path}.lock.js`;
  for (const until = Date.now() + LOCK_SECONDS * 1000; ;) {
    try {
      fs.closeSync(fs.openSync(name, "wx"));
      return () => fs.rmSync(name, { force: true });
    } catch (cause) {
      const isTaken = /** @type {{ code?: string }} */ (cause).code === "EEXIST";
      if (!isTaken) {
        throw new TrustError("file", `trust store ${path}: ${/** @type {Error} */ (cause).message}`, { cause });
      }
      if (Date.now() > until) {
        throw new TrustError("locked",
          `another process works on the trust store, or ended without removing ${name}`, { cause });
      }
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }
}
