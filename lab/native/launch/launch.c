/*
 * launch.exe: run one command line exactly as written, and keep its whole exit code.
 *
 * A program that Linux starts in Wine gets a command line that Wine has quoted anew, which cmd
 * cannot read back, and Linux keeps only the low byte of an exit code. So the lab's SSH server
 * hands the command over in LAB_COMMAND and reads the code from the file named in LAB_EXIT.
 */
#include <windows.h>

static WCHAR line[32768] = L"cmd.exe /d /s /c \"";

int main(void) {
    WCHAR answer[MAX_PATH];
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    DWORD code = 1, written, used = lstrlenW(line);
    HANDLE file;

    if (!GetEnvironmentVariableW(L"LAB_EXIT", answer, MAX_PATH))
        return 1;
    used += GetEnvironmentVariableW(L"LAB_COMMAND", line + used, 32768 - used - 2);
    lstrcpyW(line + used, L"\"");
    SetEnvironmentVariableW(L"LAB_EXIT", NULL);
    SetEnvironmentVariableW(L"LAB_COMMAND", NULL);
    if (CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) {
        WaitForSingleObject(child.hProcess, INFINITE);
        GetExitCodeProcess(child.hProcess, &code);
    }
    file = CreateFileW(answer, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        WriteFile(file, &code, sizeof code, &written, NULL);
        CloseHandle(file);
    }
    return (int)code;
}
