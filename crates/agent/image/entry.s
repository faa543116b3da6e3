# The way from a trampoline into the agent and back, and the agent's eyes: the only instructions
# that read memory which may not be there. Offsets in braces come from abi.rs, by lib.rs.

# The trusted page. Nothing else in the image makes calls.
    .section .trusted, "ax", @progbits
    .globl call, remote, batch, batch_end, restore
call:
    syscall
    rdgsbase rcx
    jmp after
remote:
    syscall
    int3
# Calls that the supervisor wants made: rbp of them, at r14, each as number and six arguments. The
# results go to r12, unless that is 0. Where r13 is not 0, it ends at the first that fails, before
# it counts that.
batch:
    mov rax, [r14]
    mov rdi, [r14 + 8]
    mov rsi, [r14 + 16]
    mov rdx, [r14 + 24]
    mov r10, [r14 + 32]
    mov r8, [r14 + 40]
    mov r9, [r14 + 48]
    syscall
    cmp rax, -4096
    jbe .Lmade
    test r13, r13
    jnz batch_end
.Lmade:
    test r12, r12
    jz .Lnext
    mov [r12], rax
    add r12, 8
.Lnext:
    add r14, 56
    sub rbp, 1
    jnz batch
batch_end:
    int3
plain:
    syscall
    ret
restore:
    mov eax, {RT_SIGRETURN}
    jmp plain

    .text
# From a trampoline, with the address of the site in r11. rcx and r11 are free, flags are not.
    .globl entry, saved
entry:
    # Is gs one of ours? Its upper half says so. Nothing here touches the flags.
    rdgsbase rcx
    bswap rcx
    lea ecx, [rcx - {ARENA_TAG}]
    jrcxz .Lours
    jmp [r11 + {SITE_CALL}]
.Lours:
    mov rcx, gs:[{GATE}]
    jrcxz .Lopen
    jmp [r11 + {SITE_CALL}]
.Lopen:
    rdgsbase rcx
    mov dword ptr [rcx + {INSIDE}], 1
    mov [rcx + {RAX}], rax
    mov [rcx + {RDI}], rdi
    mov [rcx + {RSI}], rsi
    mov [rcx + {RDX}], rdx
    mov [rcx + {R10}], r10
    mov [rcx + {R8}], r8
    mov [rcx + {R9}], r9
    mov [rcx + {RBX}], rbx
    mov [rcx + {RBP}], rbp
    mov [rcx + {R12}], r12
    mov [rcx + {R13}], r13
    mov [rcx + {R14}], r14
    mov [rcx + {R15}], r15
    mov [rcx + {SITE}], r11
    mov qword ptr [rcx + {MADE}], 0
    mov [rcx + {RSP}], rsp
    lea rsp, [rcx + {STACK}]
    pushfq
    pop [rcx + {FLAGS}]
saved:
    cld
    mov rbx, rcx
    mov rdi, rcx
    call before
    mov rcx, rbx
    sub eax, 1
    js .Ldeclined
    jz .Lunchanged
    sub eax, 1
    jz .Lanswered
    call .Lrestore
    mov rdi, [rcx + {ARGS}]
    mov rsi, [rcx + {ARGS} + 8]
    mov rdx, [rcx + {ARGS} + 16]
    mov r10, [rcx + {ARGS} + 24]
    mov r8, [rcx + {ARGS} + 32]
    mov r9, [rcx + {ARGS} + 40]
    jmp .Lmake
.Lunchanged:
    call .Lrestore
.Lmake:
    mov rbx, [rcx + {RBX}]
    mov rsp, [rcx + {RSP}]
    jmp call
# The value that the call returns is in rdx. From `after` on it is as if the call had been made.
.Lanswered:
    push rdx
    call .Lrestore
    pop rax
    mov rbx, [rcx + {RBX}]
    mov rsp, [rcx + {RSP}]
    mov r11, [rcx + {FLAGS}]
    jmp after
.Ldeclined:
    call .Lrestore
    mov rbx, [rcx + {RBX}]
    mov rsp, [rcx + {RSP}]
    mov r11, [rcx + {SITE}]
    mov dword ptr [rcx + {INSIDE}], 0
    jmp [r11 + {SITE_CALL}]

# After the call: rax is its result, r11 the flags, rcx the slot. All other registers are the
# guest's, but for arguments that were changed; its frame still has them all.
    .globl after, returned
after:
    mov [rcx + {RAX}], rax
    mov [rcx + {FLAGS}], r11
    mov [rcx + {RSP}], rsp
    mov qword ptr [rcx + {MADE}], 1
returned:
    lea rsp, [rcx + {STACK}]
    cld
    mov rdi, rcx
    mov rsi, rax
    mov rbx, rcx
    call returned_from
    mov rcx, rbx
    call .Lrestore
    mov rbx, [rcx + {RBX}]
    mov rsp, [rcx + {RSP}]
    # rcx and r11 as the instruction leaves them.
    mov r11, [rcx + {FLAGS}]
    mov rcx, [rcx + {SITE}]
    mov dword ptr gs:[{INSIDE}], 0
    mov rcx, [rcx + {SITE_AFTER}]
    jmp rcx

# Puts back the flags and the registers that a function may change. rcx is the slot. Of the flags
# these are the arithmetic ones and the direction: popfq, which sets all, takes longer than the rest.
.Lrestore:
    mov edi, [rcx + {FLAGS}]
    # The lower byte to ah, the overflow flag to al: 1 and 127 overflow.
    mov eax, edi
    shl eax, 8
    bt edi, {OVERFLOW}
    setc al
    bt edi, {DIRECTION}
    jc .Ldown
.Lup:
    add al, 127
    sahf
    mov rax, [rcx + {RAX}]
    mov rdi, [rcx + {RDI}]
    mov rsi, [rcx + {RSI}]
    mov rdx, [rcx + {RDX}]
    mov r10, [rcx + {R10}]
    mov r8, [rcx + {R8}]
    mov r9, [rcx + {R9}]
    ret
.Ldown:
    std
    jmp .Lup

# orphaned(signal: edi, siginfo: rsi, ucontext: rdx): whoever returns from a handler gets all
# registers back.
    .globl orphaned
orphaned:
    mov rbx, rsi
    mov rbp, rdx
    cmp dword ptr [rbx + {SI_CODE}], {SYS_USER_DISPATCH}
    jne .Lforeign
    mov eax, {PRCTL}
    mov edi, {PR_SET_SYSCALL_USER_DISPATCH}
    xor esi, esi
    xor edx, edx
    xor r10d, r10d
    xor r8d, r8d
    call plain
    rdgsbase rcx
    bswap rcx
    cmp ecx, {ARENA_TAG}
    jne .Lagain
    mov dword ptr gs:[{SHUT}], 1
.Lagain:
    # The supervisor may have sent it back to its call before it died.
    mov rax, [rbx + {SI_CALL_ADDR}]
    cmp rax, [rbp + {UC_RIP}]
    jne .Lsent_back
    sub qword ptr [rbp + {UC_RIP}], 2
.Lsent_back:
    ret
.Lforeign:
    # A sigaction, all zeroes: the default. The signal is blocked until we have returned.
    push 0
    push 0
    push 0
    push 0
    mov eax, {RT_SIGACTION}
    mov edi, {SIGSYS}
    mov rsi, rsp
    xor edx, edx
    mov r10d, 8
    call plain
    add rsp, 32
    mov eax, {GETPID}
    call plain
    mov ebx, eax
    mov eax, {GETTID}
    call plain
    mov edi, ebx
    mov esi, eax
    mov edx, {SIGSYS}
    mov eax, {TGKILL}
    call plain
    ret

# own_call(number: rdi, arguments: rsi, rdx, rcx, r8) -> what the kernel returns: rax
    .globl own_call
own_call:
    mov rax, rdi
    mov rdi, rsi
    mov rsi, rdx
    mov rdx, rcx
    mov r10, r8
    jmp plain

# guests_call(number: rdi, where its six arguments are: rsi) -> what the kernel returns: rax
    .globl guests_call
guests_call:
    mov rax, rdi
    mov rdi, [rsi]
    mov rdx, [rsi + 16]
    mov r10, [rsi + 24]
    mov r8, [rsi + 32]
    mov r9, [rsi + 40]
    mov rsi, [rsi + 8]
    jmp plain

# read_word(addr: rdi) -> (value: rax, whether it is readable: rdx)
    .globl read_word, read_word_load, read_word_faulted
read_word:
    mov edx, 1
read_word_load:
    mov rax, [rdi]
    ret
read_word_faulted:
    xor edx, edx
    ret

# read_bytes(to: rdi, from: rsi, len: rdx) -> how many were not copied: rax
    .globl read_bytes, read_bytes_load, read_bytes_copy, read_bytes_end
read_bytes:
    mov rcx, rdx
    # To begin with many takes longer than to copy few.
    cmp rcx, {FEW}
    ja read_bytes_copy
.Lnext_byte:
    jrcxz read_bytes_end
read_bytes_load:
    mov al, [rsi]
    mov [rdi], al
    inc rsi
    inc rdi
    dec rcx
    jmp .Lnext_byte
read_bytes_copy:
    rep movsb
read_bytes_end:
    mov rax, rcx
    ret
