//! The part of LLVM's C interface that reading a module takes.
//!
//! The functions are looked up at run time in the `libLLVM` of the user's own
//! rustc, so the version always fits the bitcode and nothing has to be
//! installed. Nothing here interprets what it returns.
#![allow(non_snake_case)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

/// Any object of LLVM: a module, a value, a type, a block.
pub type Ref = *mut c_void;

/// Why bitcode cannot be read.
#[derive(Debug)]
pub enum LlvmError {
    NoLibrary(PathBuf),
    Load(PathBuf, libloading::Error),
    Read(PathBuf, String),
    Parse(PathBuf),
    Passes(String),
    NoEntry(String),
}

impl std::fmt::Display for LlvmError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LlvmError::NoLibrary(folder) => {
                write!(f, "no libLLVM in {}: is this the sysroot of a rustc?", folder.display())
            }
            LlvmError::Load(path, source) => {
                write!(f, "failed to load {}: {source}", path.display())
            }
            LlvmError::Read(path, why) => write!(f, "failed to read {}: {why}", path.display()),
            LlvmError::Parse(path) => write!(f, "{} is not bitcode of this LLVM", path.display()),
            LlvmError::Passes(why) => write!(f, "LLVM refused to prepare the module: {why}"),
            LlvmError::NoEntry(name) => write!(f, "the module has no function {name}"),
        }
    }
}

impl std::error::Error for LlvmError {}

macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, with the library that holds them.
        pub struct Api {
            _library: libloading::Library,
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Api {
            /// Looks every function up.
            pub fn load(path: &Path) -> Result<Api, LlvmError> {
                let failed = |source| LlvmError::Load(path.to_owned(), source);
                // SAFETY: libLLVM's initialisers are those rustc itself runs.
                let library = unsafe { libloading::Library::new(path) }.map_err(failed)?;
                $(
                    // SAFETY: the signature is that of LLVM's C header.
                    let $name = unsafe {
                        *library
                            .get::<unsafe extern "C" fn($($arg),*) $(-> $result)?>(
                                concat!(stringify!($name), "\0").as_bytes(),
                            )
                            .map_err(failed)?
                    };
                )*
                Ok(Api { _library: library, $($name,)* })
            }
        }
    };
}

functions! {
    LLVMContextCreate() -> Ref;
    LLVMContextDispose(Ref);
    LLVMDisposeModule(Ref);
    LLVMCreateMemoryBufferWithContentsOfFile(*const c_char, *mut Ref, *mut *mut c_char) -> c_int;
    LLVMParseBitcodeInContext2(Ref, Ref, *mut Ref) -> c_int;
    LLVMRunPasses(Ref, *const c_char, Ref, Ref) -> Ref;
    LLVMCreatePassBuilderOptions() -> Ref;
    LLVMDisposePassBuilderOptions(Ref);
    LLVMGetErrorMessage(Ref) -> *mut c_char;
    LLVMDisposeMessage(*mut c_char);
    LLVMPrintValueToString(Ref) -> *mut c_char;
    LLVMGetModuleDataLayout(Ref) -> Ref;
    LLVMABISizeOfType(Ref, Ref) -> u64;
    LLVMOffsetOfElement(Ref, Ref, c_uint) -> u64;
    LLVMGetFirstFunction(Ref) -> Ref;
    LLVMGetNextFunction(Ref) -> Ref;
    LLVMGetFirstGlobal(Ref) -> Ref;
    LLVMGetNextGlobal(Ref) -> Ref;
    LLVMGetValueName2(Ref, *mut usize) -> *const c_char;
    LLVMIsDeclaration(Ref) -> c_int;
    LLVMIsGlobalConstant(Ref) -> c_int;
    LLVMGetInitializer(Ref) -> Ref;
    LLVMGlobalGetValueType(Ref) -> Ref;
    LLVMAliasGetAliasee(Ref) -> Ref;
    LLVMGetAlignment(Ref) -> c_uint;
    LLVMCountParams(Ref) -> c_uint;
    LLVMGetParam(Ref, c_uint) -> Ref;
    LLVMGetFirstBasicBlock(Ref) -> Ref;
    LLVMGetFirstInstruction(Ref) -> Ref;
    LLVMGetNextInstruction(Ref) -> Ref;
    LLVMGetInstructionOpcode(Ref) -> c_int;
    LLVMGetNumOperands(Ref) -> c_int;
    LLVMGetOperand(Ref, c_uint) -> Ref;
    LLVMTypeOf(Ref) -> Ref;
    LLVMGetTypeKind(Ref) -> c_int;
    LLVMGetIntTypeWidth(Ref) -> c_uint;
    LLVMGetElementType(Ref) -> Ref;
    LLVMStructGetTypeAtIndex(Ref, c_uint) -> Ref;
    LLVMCountStructElementTypes(Ref) -> c_uint;
    LLVMGetArrayLength2(Ref) -> u64;
    LLVMGetVectorSize(Ref) -> c_uint;
    LLVMGetICmpPredicate(Ref) -> c_int;
    LLVMGetFCmpPredicate(Ref) -> c_int;
    LLVMCountIncoming(Ref) -> c_uint;
    LLVMGetIncomingValue(Ref, c_uint) -> Ref;
    LLVMGetIncomingBlock(Ref, c_uint) -> Ref;
    LLVMGetAllocatedType(Ref) -> Ref;
    LLVMGetCalledValue(Ref) -> Ref;
    LLVMGetInlineAsmAsmString(Ref, *mut usize) -> *const c_char;
    LLVMGetNumArgOperands(Ref) -> c_uint;
    LLVMGetGEPSourceElementType(Ref) -> Ref;
    LLVMGetNumIndices(Ref) -> c_uint;
    LLVMGetIndices(Ref) -> *const c_uint;
    LLVMGetNumMaskElements(Ref) -> c_uint;
    LLVMGetMaskValue(Ref, c_uint) -> c_int;
    LLVMGetNumSuccessors(Ref) -> c_uint;
    LLVMGetSuccessor(Ref, c_uint) -> Ref;
    LLVMGetSwitchCaseValue(Ref, c_uint) -> Ref;
    LLVMGetCondition(Ref) -> Ref;
    LLVMGetNormalDest(Ref) -> Ref;
    LLVMGetUnwindDest(Ref) -> Ref;
    LLVMGetNumClauses(Ref) -> c_uint;
    LLVMGetAtomicRMWBinOp(Ref) -> c_int;
    LLVMGetValueKind(Ref) -> c_int;
    LLVMConstIntGetZExtValue(Ref) -> u64;
    LLVMConstRealGetDouble(Ref, *mut c_int) -> f64;
    LLVMGetAggregateElement(Ref, c_uint) -> Ref;
    LLVMGetAsString(Ref, *mut usize) -> *const c_char;
    LLVMGetConstOpcode(Ref) -> c_int;
    LLVMIsConstant(Ref) -> c_int;
    LLVMGetDebugLocLine(Ref) -> c_uint;
    LLVMGetDebugLocColumn(Ref) -> c_uint;
    LLVMGetDebugLocFilename(Ref, *mut c_uint) -> *const c_char;
    LLVMGetDebugLocDirectory(Ref, *mut c_uint) -> *const c_char;
    LLVMInstructionGetDebugLoc(Ref) -> Ref;
    LLVMDILocationGetInlinedAt(Ref) -> Ref;
    LLVMDILocationGetScope(Ref) -> Ref;
    LLVMDILocationGetLine(Ref) -> c_uint;
    LLVMDILocationGetColumn(Ref) -> c_uint;
    LLVMGetSubprogram(Ref) -> Ref;
    LLVMDIScopeGetFile(Ref) -> Ref;
    LLVMDIFileGetFilename(Ref, *mut c_uint) -> *const c_char;
    LLVMDIFileGetDirectory(Ref, *mut c_uint) -> *const c_char;
}

/// The libLLVM of a rustc installation.
pub fn library_of(sysroot: &Path) -> Result<PathBuf, LlvmError> {
    for folder in [sysroot.join("lib"), sysroot.join("bin")] {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let named = |path: &PathBuf| {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
            name.is_some_and(|n| {
                n.contains("LLVM.so") || n.contains("libLLVM.dylib") || n == "LLVM.dll"
            })
        };
        if let Some(path) = entries.flatten().map(|entry| entry.path()).find(named) {
            return Ok(path);
        }
    }
    Err(LlvmError::NoLibrary(sysroot.join("lib")))
}

/// A parsed module, with the functions to read it. Freed when dropped.
pub struct Module {
    pub api: Api,
    context: Ref,
    pub module: Ref,
    pub layout: Ref,
}

impl Module {
    /// Parses bitcode.
    pub fn open(library: &Path, bitcode: &Path) -> Result<Module, LlvmError> {
        let api = Api::load(library)?;
        let unreadable = |why: String| LlvmError::Read(bitcode.to_owned(), why);
        let name = CString::new(bitcode.as_os_str().as_encoded_bytes())
            .map_err(|_| unreadable("the path holds a zero byte".to_owned()))?;
        let (mut buffer, mut module) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut message = std::ptr::null_mut();
        // SAFETY: the out pointers are valid, the path ends with a zero byte, and the
        // buffer is handed over to the parser once.
        unsafe {
            let context = (api.LLVMContextCreate)();
            let status = (api.LLVMCreateMemoryBufferWithContentsOfFile)(
                name.as_ptr(),
                &mut buffer,
                &mut message,
            );
            if status != 0 {
                return Err(unreadable("no such file, or no permission".to_owned()));
            }
            if (api.LLVMParseBitcodeInContext2)(context, buffer, &mut module) != 0 {
                return Err(LlvmError::Parse(bitcode.to_owned()));
            }
            let layout = (api.LLVMGetModuleDataLayout)(module);
            Ok(Module { api, context, module, layout })
        }
    }

    /// Runs a pipeline of LLVM passes over the module.
    pub fn run_passes(&self, pipeline: &str) -> Result<(), LlvmError> {
        let text = CString::new(pipeline).expect("a pipeline holds no zero byte");
        // SAFETY: the module is live; a null target machine is allowed; the error is
        // turned into a message that we own.
        unsafe {
            let options = (self.api.LLVMCreatePassBuilderOptions)();
            let error =
                (self.api.LLVMRunPasses)(self.module, text.as_ptr(), std::ptr::null_mut(), options);
            (self.api.LLVMDisposePassBuilderOptions)(options);
            if error.is_null() {
                return Ok(());
            }
            let message = (self.api.LLVMGetErrorMessage)(error);
            Err(LlvmError::Passes(CStr::from_ptr(message).to_string_lossy().into_owned()))
        }
    }

    /// The symbol of a function or global.
    pub fn symbol(&self, value: Ref) -> String {
        let mut len = 0;
        // SAFETY: `value` is a live value; LLVM returns a pointer to `len` bytes.
        unsafe { text((self.api.LLVMGetValueName2)(value, &mut len), len) }
    }

    /// The value as LLVM prints it.
    pub fn print(&self, value: Ref) -> String {
        // SAFETY: `value` is live; the message is ours to free.
        unsafe {
            let message = (self.api.LLVMPrintValueToString)(value);
            let printed = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.LLVMDisposeMessage)(message);
            printed
        }
    }

    /// File, line and column of an instruction; line 0 if it has none.
    pub fn place(&self, instruction: Ref) -> (String, u32, u32) {
        let (mut len, mut folder_len) = (0, 0);
        // SAFETY: `instruction` is a live instruction; the strings live as long as the module.
        unsafe {
            let line = (self.api.LLVMGetDebugLocLine)(instruction);
            let column = (self.api.LLVMGetDebugLocColumn)(instruction);
            let file = (self.api.LLVMGetDebugLocFilename)(instruction, &mut len);
            let file = text(file, len as usize);
            let folder = (self.api.LLVMGetDebugLocDirectory)(instruction, &mut folder_len);
            let folder = text(folder, folder_len as usize);
            let path = Path::new(&folder).join(&file).to_string_lossy().into_owned();
            (path, line, column)
        }
    }
}

impl Module {
    /// Where an instruction stands in the function that it was compiled into; what was
    /// inlined stands where it was called.
    pub fn outer_place(&self, instruction: Ref) -> (String, u32, u32) {
        // SAFETY: `instruction` is a live instruction; null locations are not asked further.
        unsafe {
            let mut location = (self.api.LLVMInstructionGetDebugLoc)(instruction);
            if location.is_null() {
                return (String::new(), 0, 0);
            }
            loop {
                let outer = (self.api.LLVMDILocationGetInlinedAt)(location);
                if outer.is_null() {
                    break;
                }
                location = outer;
            }
            let line = (self.api.LLVMDILocationGetLine)(location);
            let column = (self.api.LLVMDILocationGetColumn)(location);
            let scope = (self.api.LLVMDILocationGetScope)(location);
            (self.file_of_scope(scope).unwrap_or_default(), line, column)
        }
    }

    /// The file in which a function is written, if the compiler says so.
    pub fn file_of(&self, function: Ref) -> Option<String> {
        // SAFETY: `function` is a live function.
        unsafe { self.file_of_scope((self.api.LLVMGetSubprogram)(function)) }
    }

    /// # Safety
    /// `scope` is null or a scope of this live module.
    unsafe fn file_of_scope(&self, scope: Ref) -> Option<String> {
        if scope.is_null() {
            return None;
        }
        let (mut len, mut folder_len) = (0, 0);
        // SAFETY: the scope is live; a null file is not asked further; the strings live as
        // long as the module.
        unsafe {
            let file = (self.api.LLVMDIScopeGetFile)(scope);
            if file.is_null() {
                return None;
            }
            let name = text((self.api.LLVMDIFileGetFilename)(file, &mut len), len as usize);
            let folder = (self.api.LLVMDIFileGetDirectory)(file, &mut folder_len);
            let folder = text(folder, folder_len as usize);
            Some(Path::new(&folder).join(&name).to_string_lossy().into_owned())
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both were made by `open` and nothing refers to them any more: the
        // lowered program copies what it needs.
        unsafe {
            (self.api.LLVMDisposeModule)(self.module);
            (self.api.LLVMContextDispose)(self.context);
        }
    }
}

/// # Safety
/// `pointer` is null or points to `len` readable bytes.
pub unsafe fn text(pointer: *const c_char, len: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises it.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}
