/**
 * Jest's environment for Node without its two costs, which double the processor time of tests that compute: a global object
 * behind interceptors, and stack traces of 100 frames.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

export default class PlainContext extends TestEnvironment {
  constructor(config, context) {
    // The constructor above takes no context, so it gets this one.
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    this.global.Error.stackTraceLimit = 10;
  }
}
