/** Unit tests start no process: Jest's environment refuses each way to start one. */
import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const ways: Readonly<Record<string, () => unknown>> = {
  exec: () => exec('true'),
  execFile: () => execFile('true'),
  execFileSync: () => execFileSync('true'),
  execSync: () => execSync('true'),
  fork: () => fork('none.mjs'),
  spawn: () => spawn('true'),
  spawnSync: () => spawnSync('true'),
};

test.each(Object.keys(ways))('%s is refused', (name) => {
  expect(ways[name]).toThrow('a unit test started a process');
});
