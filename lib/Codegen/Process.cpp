#include "Process.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace pagoda {

StatusOr<ProcessResult> runProcess(const std::vector<std::string> &command) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    return ioError("cannot create a pipe: ", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 2);
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child;
  int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr,
                             arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (error != 0) {
    ::close(pipe[0]);
    return unavailable("cannot run '", command[0], "': ", std::strerror(error));
  }

  ProcessResult result{};
  char buffer[4096];
  for (ssize_t count; (count = ::read(pipe[0], buffer, sizeof buffer)) != 0;) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    if (result.output.size() < (64 << 10))
      result.output.append(buffer, static_cast<size_t>(count));
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

} // namespace pagoda
