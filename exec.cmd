@rem Scripts of npm begin with exec, so that signals reach the server. cmd.exe has no such command.
@%*
